// SPDX-License-Identifier: BSL-1.0
// Stages one by one give what the whole gives, with values of every kind: copied, moved, several, none.
#include <ipuflow/graph/describe.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace run_stage_test {

using namespace ipuflow;

namespace {

using box = std::unique_ptr<int>;

constexpr int plus_one(int x) { return x + 1; }
constexpr auto arithmetic = pipeline(
    input<int>, per_run<"k", int>, block<"a">(plus_one, keep<"x">), block<"b">([](int x) { return std::tuple{x, 2 * x}; }),
    concurrent(block<"c">([](int a, int b) { return b - a; }), block<"d">(use<"k">([](int a, int b, int k) { return k * (a + b); }))),
    block<"e">(use<"x">([](int c, int d, int x) { return c + d + x; })));

// Oracle: what the stages above say, by hand.
constexpr int by_hand(int in, int k) {
  const int x = in + 1;
  return (2 * x - x) + k * (x + 2 * x) + x;
}
static_assert(call_stage<0>(arithmetic, 4, 7) == std::tuple{5, 7, 5});
static_assert(call_stage<1>(arithmetic, 5, 7, 5) == std::tuple{5, 10, 7, 5});
static_assert(call_stage<2>(arithmetic, 5, 10, 7, 5) == std::tuple{5, 105, 5});
static_assert(call_stage<3>(arithmetic, 5, 105, 5) == std::tuple{by_hand(4, 7)});

// Counts what happens to it; every copy is one too many unless somebody asked for it.
struct counted {
  int* copies;
  explicit counted(int& count) : copies{&count} {}
  counted(const counted& other) : copies{other.copies} { ++*copies; }
  counted(counted&& other) = default;
  counted& operator=(const counted&) = delete;
  counted& operator=(counted&&) = delete;
};
constexpr auto pass = [](counted c) { return c; };
constexpr auto look = [](const counted&) { return 1; };

template <std::size_t Stage, class P, class... X>
auto one_after_another(const P& p, X&&... x) {
  auto out = call_stage<Stage>(p, std::forward<X>(x)...);
  if constexpr (Stage + 1 < P::stage_count) {
    return std::apply([&](auto&... value) { return one_after_another<Stage + 1>(p, std::move(value)...); }, out);
  } else {
    return out;
  }
}

template <class P, class... X>
concept callable = requires(const P& p, X&&... x) { call_stage<0>(p, std::forward<X>(x)...); };
using p_t = std::remove_const_t<decltype(arithmetic)>;
static_assert(callable<p_t, int, int> && !callable<p_t, int> && !callable<p_t, int, int, int> && !callable<p_t, std::string, int>);

}  // namespace

TEST_CASE("stages one after another are the whole") {
  for (int x = -50; x < 50; ++x) {
    for (int k = -3; k < 4; ++k) {
      CHECK(std::get<0>(one_after_another<0>(arithmetic, x, k)) == by_hand(x, k));
      CHECK(arithmetic(x, k) == by_hand(x, k));
    }
  }
}

TEST_CASE("a value that cannot be copied is the same object behind every stage") {
  const auto p = pipeline(input<box>, input<int>, block<"a">([](box b, int x) { return std::tuple<int, box>{x, std::move(b)}; }),
                          block<"b">([](int x, box b) { return std::tuple<box, int>{std::move(b), x}; }),
                          block<"c">([](box b, int x) {
                            *b += x;
                            return b;
                          }));
  auto b = std::make_unique<int>(30);
  const int* at = b.get();
  const box out = p(std::move(b), 12);
  CHECK(out.get() == at);
  CHECK(*out == 42);
  CHECK(*std::get<0>(one_after_another<0>(p, std::make_unique<int>(1), 2)) == 3);
}

TEST_CASE("nothing is copied that is not asked for") {
  int copies = 0;
  const auto flows = pipeline(input<counted>, block<"a">(pass, pass), stage(block<"b">(), block<"c">(pass)), block<"d">(look));
  CHECK(flows(counted{copies}) == 1);
  CHECK(copies == 0);

  const auto looked_at = pipeline(input<counted>, concurrent(block<"a">(look), block<"b">(look), block<"c">(look)),
                                  block<"d">([](int a, int b, int c) { return a + b + c; }));
  CHECK(looked_at(counted{copies}) == 3);
  CHECK(copies == 0);

  const auto carried = pipeline(input<int>, per_run<"c", counted>, block<"a">(plus_one), block<"b">(plus_one),
                                block<"d">(use<"c">([](int, const counted& c) { return *c.copies; })));
  CHECK(carried(1, counted{copies}) == 0);

  const auto kept = pipeline(input<counted>, block<"a">(keep<"c">, look), block<"b">(use<"c">([](int, const counted&) { return 2; })));
  CHECK(kept(counted{copies}) == 2);
  CHECK(copies == 1);  // keeping is what asks for a copy
}

TEST_CASE("branches give what cannot be copied, in their order, wherever the stage stands") {
  const auto plus = [](int n) { return [n](const box& b) { return std::make_unique<int>(*b + n); }; };
  const auto digits = [](auto... b) {
    int number = 0;
    ((number = 10 * number + *b), ...);
    return number;
  };
  const auto two = pipeline(input<box>, concurrent(block<"a">(plus(1)), block<"b">(plus(2))), block<"z">(digits));
  CHECK(two(std::make_unique<int>(0)) == 12);
  const auto three = pipeline(input<box>, concurrent(block<"a">(plus(1)), stage(block<"b">(plus(1)), block<"c">(plus(1))), block<"d">(plus(3))),
                              concurrent(block<"e">([](const box& a, const box&, const box& c) { return std::make_unique<int>(*a + *c); }),
                                         block<"f">([](const box&, const box& b, const box&) { return std::make_unique<int>(*b); })));
  const auto [e, f] = three(std::make_unique<int>(0));
  CHECK(*e == 4);
  CHECK(*f == 2);
}

TEST_CASE("a carried value that cannot be copied arrives") {
  const auto p = pipeline(input<int>, per_sample<"b", box>, block<"a">(plus_one), block<"c">(plus_one),
                          block<"d">(use<"b">([](int x, const box& b) { return x + *b; })));
  CHECK(p(1, std::make_unique<int>(10)) == 13);
}

TEST_CASE("an op may give a reference, into its argument or elsewhere: what it refers to becomes a value") {
  static const std::string elsewhere = "elsewhere";
  const auto p = pipeline(input<std::string>, block<"a">([](const std::string& s) -> const std::string& { return s; },
                                                         [](std::string&& s) { return s + "!"; }),
                          block<"b">([](const std::string&) -> const std::string& { return elsewhere; },
                                     [](std::string s) { return s + "?"; }),
                          block<"c">([](std::string s) { return std::tuple<const std::string&, int>(elsewhere, int(s.size())); },
                                     [](std::string&& s, int n) { return std::move(s) + std::to_string(n); }));
  CHECK(p(std::string("in")) == "elsewhere10");
  CHECK(elsewhere == "elsewhere");

  struct pair {
    std::string first, second;
  };
  const auto member = pipeline(input<pair>, block<"a">(&pair::second), block<"b">(&std::string::size));
  CHECK(member(pair{"one", "three"}) == 5);
}

TEST_CASE("an exception of an op leaves the pipeline, and what flowed is destroyed") {
  const auto life = std::make_shared<int>(0);
  const auto p = pipeline(input<std::shared_ptr<int>>, block<"a">(keep<"s">, [](std::shared_ptr<int> s) { return s; }),
                          concurrent(block<"b">([](const std::shared_ptr<int>& s) { return s; }),
                                     block<"c">([](const std::shared_ptr<int>&) -> int { throw std::runtime_error{"c"}; })),
                          block<"d">(use<"s">([](auto, int, auto) {})));
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_WITH_AS(p(life), "c", std::runtime_error);
    CHECK(life.use_count() == 1);
  }
}

TEST_CASE("ops that give nothing, and take nothing") {
  static int seen = 0;
  const auto p = pipeline(input<int>, block<"a">([](int x) { seen = x; }), block<"b">([] { return seen + 1; }),
                          block<"c">([](int x) { seen = x; }));
  p(4);
  CHECK(seen == 5);
  CHECK(std::is_void_v<decltype(p(4))>);
}

}  // namespace run_stage_test
