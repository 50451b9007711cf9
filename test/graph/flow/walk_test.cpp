// SPDX-License-Identifier: BSL-1.0
// What leaves each stage: what flows, then the named values that a later stage uses, and no others. The law is stated once, as
// a function from the stage of the last use to what is carried, and fed every stage that it could be.
#include <ipuflow/graph/describe.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <tuple>
#include <type_traits>

namespace walk_test {

using namespace ipuflow;

namespace {

using box = std::unique_ptr<int>;
constexpr int plus_one(int x) { return x + 1; }
constexpr int sum(int x, int y) { return x + y; }
constexpr double halved(int x) { return x / 2.0; }
constexpr int scaled(int x, float rate) { return static_cast<int>(static_cast<float>(x) * rate); }

template <class P, std::size_t Stage, class... T>
inline constexpr bool leaves = std::is_same_v<stage_output<P, Stage>, std::tuple<T...>>;
template <class P, std::size_t Stage, class... T>
inline constexpr bool enters = std::is_same_v<stage_input<P, Stage>, std::tuple<T...>>;

// A value declared in front and used in stage `Last` of four.
template <std::size_t Last>
constexpr auto used_in() {
  const auto op = []<std::size_t Stage>(hana::size_t<Stage>) {
    if constexpr (Stage == Last) {
      return use<"rate">(scaled);
    } else {
      return &plus_one;
    }
  };
  return pipeline(input<int>, per_run<"rate", float>, block<"a">(op(hana::size_c<0>)), block<"b">(op(hana::size_c<1>)),
                  block<"c">(op(hana::size_c<2>)), block<"d">(op(hana::size_c<3>)));
}

template <std::size_t Last, std::size_t Stage>
constexpr bool carried_while_needed() {
  using p = decltype(used_in<Last>());
  if constexpr (Stage < Last) {
    return leaves<p, Stage, int, float>;
  } else {
    return leaves<p, Stage, int>;
  }
}
template <std::size_t Last, std::size_t... Stage>
constexpr bool carried_through(std::index_sequence<Stage...>) {
  return (carried_while_needed<Last, Stage>() && ...);
}
static_assert(carried_through<0>(std::make_index_sequence<4>{}) && carried_through<1>(std::make_index_sequence<4>{}) &&
                  carried_through<2>(std::make_index_sequence<4>{}) && carried_through<3>(std::make_index_sequence<4>{}),
              "a value is carried up to its last use and not further");

// What leaves a stage enters the next.
template <class P, std::size_t... Stage>
constexpr bool joined(std::index_sequence<Stage...>) {
  return (std::is_same_v<stage_output<P, Stage>, stage_input<P, Stage + 1>> && ...);
}
static_assert(joined<decltype(used_in<2>())>(std::make_index_sequence<3>{}));

// Kept in stage 0, used in stages 1 and 2, in the order of being named.
constexpr auto kept = pipeline(input<int>, per_sample<"label", char>, block<"a">(keep<"x">, halved, keep<"y">),
                               block<"b">(use<"x">([](double, int x) { return x; })),
                               block<"c">(use<"x", "label">([](int a, int b, char c) { return a + b + c; })), block<"d">(plus_one));
using kept_t = decltype(kept);
static_assert(enters<kept_t, 0, int, char>);
static_assert(leaves<kept_t, 0, double, char, int>, "y is kept but not used: it is dropped");
static_assert(leaves<kept_t, 1, int, char, int> && leaves<kept_t, 2, int> && leaves<kept_t, 3, int>);

// Concurrent branches: outputs side by side, each branch sees what enters, what either keeps is visible behind them.
constexpr auto forked =
    pipeline(input<int>, per_run<"rate", float>, block<"a">(plus_one, keep<"a">),
             concurrent(block<"b">(keep<"b">, halved), stage(block<"c">(plus_one), block<"d">(use<"a">(sum))),
                        block<"e">(use<"rate">(scaled), [](int x) { return std::tuple{x, 'e'}; })),
             block<"f">(use<"b", "a">([](double, int, int, char, int b, int a) { return a * b; })));
using forked_t = decltype(forked);
static_assert(forked_t::stage_count == 3 && forked_t::block_count == 6);
static_assert(enters<forked_t, 1, int, float, int> && leaves<forked_t, 1, double, int, int, char, int, int>);
static_assert(leaves<forked_t, 2, int>);

// The example on top of the header.
struct packet {};
struct image {};
struct count {};
struct report {};
constexpr image decode(packet) { return {}; }
constexpr count search(const image&) { return {}; }
constexpr report merge(count, count, const image&, int) { return {}; }
constexpr auto camera = pipeline(input<packet>, per_run<"limit", int>, block<"decode">(decode, keep<"seen">),
                                 concurrent(block<"faces">(search), block<"plates">(search)),
                                 block<"merge">(use<"seen", "limit">(merge)));
using limit = named<"limit", int>;
using seen = named<"seen", image>;
static_assert(std::is_same_v<decltype(camera)::ends,
                             flow::points<flow::point<values<image>, limit, seen>,
                                          flow::point<values<count, count>, limit, seen>, flow::point<values<report>>>>);

// At both ends, and with values that cannot be copied.
constexpr auto ends = pipeline(input<box>, concurrent(block<"a">([](const box& b) { return *b; }),
                                                      block<"b">([](const box& b) { return std::make_unique<int>(*b); })),
                               block<"c">([](int, box b) { return b; }),
                               concurrent(block<"d">([](const box&) {}), block<"e">([](const box& b) { return *b; })));
using ends_t = decltype(ends);
static_assert(enters<ends_t, 0, box> && leaves<ends_t, 0, int, box> && leaves<ends_t, 1, box> && leaves<ends_t, 2, int>);

// Nothing flows between the stages at all.
constexpr auto silent = pipeline(block<"a">([] {}), block<"b">([] { return 3; }), block<"c">([](int) {}));
using silent_t = decltype(silent);
static_assert(enters<silent_t, 0> && leaves<silent_t, 0> && leaves<silent_t, 1, int> && leaves<silent_t, 2>);

// Blocks without ops let everything through.
static_assert(leaves<decltype(pipeline(input<box>, input<int>, block<"a">(), block<"b">())), 1, box, int>);

}  // namespace

TEST_CASE("what is carried does what it is carried for") {
  CHECK(used_in<0>()(3, 2.0f) == 9);
  CHECK(used_in<3>()(3, 2.0f) == 12);
  CHECK(kept(10, 'a') == 10 + 10 + 'a' + 1);
  for (int x = 0; x < 20; ++x) CHECK(forked(x, 0.5f) == (x + 1) * (x + 1));
  CHECK(ends(std::make_unique<int>(8)) == 8);
}

}  // namespace walk_test
