// SPDX-License-Identifier: BSL-1.0
// A stage begins inside a block: the parts compute what the block did, and know what they are parts of.
#include <ipuflow/graph/cut.hpp>
#include <ipuflow/graph/foldable.hpp>
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/graph/stage_facts.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>

namespace cut_test {

using namespace ipuflow;
using namespace ipuflow::impl;

namespace {

constexpr int plus_one(int x) { return x + 1; }
constexpr int doubled(int x) { return 2 * x; }
constexpr int sum(int x, int y) { return x + y; }

// Names.
static_assert(parsed_part("layer3[8]") == block_origin{"layer3", 0, 8});
static_assert(parsed_part("layer3") == block_origin{"layer3"} && parsed_part("layer3[0]") == block_origin{"layer3[0]"});
static_assert(parsed_part("[1]").first_op == 0 && parsed_part("a[]").first_op == 0 && parsed_part("a[01]").first_op == 0);
static_assert(parsed_part("a[x]").first_op == 0 && parsed_part("a[1]b").first_op == 0 && parsed_part("a[9999999999]").first_op == 0);

constexpr auto p = pipeline(input<int>, block<"a">(plus_one), block<"b">(doubled, keep<"x">, plus_one, doubled, use<"x">(sum), plus_one),
                            block<"c">(plus_one));

constexpr auto two = regroup(p, stage<"a", "b">(), stage<"b[3]", "c">());
static_assert(two.block_count == 4 && two.stage_count == 2 && two.placement == placement<4>{{0, 0, 1, 1}, {}, {0, 0, 1, 1}});
static_assert(stages(two)[0].name.view() == "a+b" && stages(two)[1].name.view() == "b[3]+c");
static_assert(two[name<"b">].op_count == 3 && two[name<"b[3]">].op_count == 3);
static_assert(std::is_same_v<stage_output<decltype(two), 0>, std::tuple<int, int>>, "a value that is kept before the cut is carried over it");

// Everywhere, all at once or one after the other, in any order, and through concurrency.
constexpr auto all = regroup(p, stage<"a">(), stage<"b">(), stage<"b[1]">(), stage<"b[2]">(), stage<"b[3]">(), stage<"b[4]">(), stage<"b[5]">(), stage<"c">());
constexpr auto again = regroup(two, stage<"a">(), stage<"b">(), stage<"b[1]", "b[3]">(), stage<"b[5]", "c">());
static_assert(all.block_count == 8 && again.block_count == 6 && again[name<"b[1]">].op_count == 2 && again[name<"b[3]">].op_count == 2);
static_assert(regroup(again, stage<"a", "b", "b[1]", "b[3]", "b[5]", "c">()).stage_count == 1, "parts are named until the end");

constexpr bool computes_the_same() {
  for (int x = -3; x < 9; ++x) {
    if (two(x) != p(x) || all(x) != p(x) || again(x) != p(x)) return false;
  }
  return true;
}
static_assert(computes_the_same());

constexpr auto forked = pipeline(input<int>, block<"a">(plus_one), concurrent(block<"l">(plus_one, doubled), block<"r">(doubled)),
                                 block<"z">(sum, plus_one));
constexpr auto forked_cut = regroup(forked, stage<"a">(), concurrent(stage<"l", "l[1]">(), stage<"r">()), stage<"z">(), stage<"z[1]">());
static_assert(forked_cut.stage_count == 4 && forked_cut(5) == forked(5));

// A part has a name that sentences can show, as any block.
constexpr auto long_named = block_t<"a block whose name is just short enough: it has 60 letters!!", unplaced, int, int>{};
static_assert(cut_for<std::remove_const_t<decltype(long_named)>>("a block whose name is just short enough: it has 60 letters!![1]").fault.kind ==
              graph_wrong::long_name);

// Origins.
static_assert(all.origin_of(0) == block_origin{"a", 0, 0} && all.origin_of(7) == block_origin{"c", 2, 0});
static_assert(all.origin_of(4) == block_origin{"b", 1, 3} && again.origin_of(3) == block_origin{"b", 1, 3});
constexpr auto named_alike = pipeline(input<int>, block<"a">(plus_one), block<"a[2]">(plus_one), block<"z">(plus_one));
static_assert(named_alike.origin_of(1) == block_origin{"a[2]", 1, 0}, "block a has one op: this is no part of it");
static_assert(two.origin_of(3).number == p.origin_of(2).number, "blocks behind a cut have the number that they had");

}  // namespace

TEST_CASE("A cut may be where only types that move flow") {
  const auto boxes = pipeline(input<std::unique_ptr<int>>, block<"open">([](std::unique_ptr<int> b) { return b; }, [](std::unique_ptr<int> b) { return *b; }),
                              block<"more">(plus_one));
  const auto cut_open = regroup(boxes, stage<"open">(), stage<"open[1]", "more">());
  CHECK(cut_open(std::make_unique<int>(41)) == 42);
}

TEST_CASE("Parts carry what their ops hold") {
  const auto owner = std::make_shared<int>(3);
  const auto adds = pipeline(input<int>, block<"a">(plus_one, [owner](int x) { return x + *owner; }), block<"b">(plus_one));
  const auto parts = regroup(adds, stage<"a">(), stage<"a[1]">(), stage<"b">());
  CHECK(parts(1) == adds(1));
  CHECK(owner.use_count() == 3);
}

}  // namespace cut_test
