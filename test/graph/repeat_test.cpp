// SPDX-License-Identifier: BSL-1.0
// A repetition is its blocks written out: the same stages, bytes and results, cut anywhere, grouped and split.
#include <ipuflow/graph/foldable.hpp>
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/graph/repeat.hpp>
#include <ipuflow/graph/stage_facts.hpp>

#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <type_traits>

namespace repeat_test {

using namespace ipuflow;
using namespace ipuflow::impl;

namespace {

constexpr int plus_one(int x) { return x + 1; }
constexpr int doubled(int x) { return 2 * x; }
constexpr int sum(int x, int y) { return x + y; }

// Names: the number of the repetition comes behind that of the block, before those that the block has already.
static_assert(numbered_name<"e", 7> == fixed_string{"e[7]"} && numbered_name<"e", 10> == fixed_string{"e[10]"});
static_assert(numbered_name<"e[2]", 123> == fixed_string{"e[123][2]"} && sizeof(numbered_name<"e", 10>) == 6);

constexpr auto layer = block<"layer">(keep<"x">, plus_one, doubled, use<"x">(sum));
constexpr auto written = pipeline(input<int>, stage(block<"in">(plus_one), block<"layer[0]">(keep<"x0">, plus_one, doubled, use<"x0">(sum)),
                                                    block<"layer[1]">(keep<"x1">, plus_one, doubled, use<"x1">(sum))),
                                  stage(block<"layer[2]">(keep<"x2">, plus_one, doubled, use<"x2">(sum)), block<"out">(doubled)));
constexpr auto repeated = regroup(pipeline(input<int>, stage(block<"in">(plus_one), repeat<3>(layer)), block<"out">(doubled)),
                                  stage<"in", "layer[0:2]">(), stage<"layer[2]", "out">());

template <class P, class Q>
constexpr bool same(const P& p, const Q& q) {
  for (int x = -3; x < 9; ++x) {
    if (p(x) != q(x)) return false;
  }
  return stages(p) == stages(q) && p.placement == q.placement && p.names() == q.names();
}
static_assert(same(written, repeated));

// Cut inside repetitions, at each of their ops: the value that is kept crosses the cut from there to its use, and is not carried on.
constexpr auto cut_early = regroup(repeated, stage<"in", "layer[0:2]">(), stage<"layer[1][1]", "layer[2]", "out">());
constexpr auto cut_late = regroup(repeated, stage<"in", "layer[0:2]">(), stage<"layer[1][3]", "layer[2]">(), stage<"layer[2][2]", "out">());
static_assert(same(cut_early, regroup(written, stage<"in", "layer[0]", "layer[1]">(), stage<"layer[1][1]", "layer[2]", "out">())));
static_assert(same(cut_late, regroup(written, stage<"in", "layer[0:2]">(), stage<"layer[1][3]", "layer[2]">(), stage<"layer[2][2]", "out">())));
static_assert(std::is_same_v<stage_output<decltype(cut_late), 0>, std::tuple<int, int>> &&
              std::is_same_v<stage_output<decltype(repeated), 0>, std::tuple<int>>);
static_assert(cut_late.origin_of(3) == block_origin{"layer[1]", 2, 3} && cut_late.origin_of(4) == block_origin{"layer[2]", 3, 0});

// A stage shows them as a list takes them.
static_assert(stages(repeated)[0].name.view() == "in+layer[0:2]" && stages(repeated)[1].name.view() == "layer[2]+out");
static_assert(stages(cut_late)[1].name.view() == "layer[1][3]+layer[2]");
static_assert(stages(pipeline(input<int>, stage(repeat<2>(block<"a">(plus_one)), repeat<3>(block<"b">(plus_one))), block<"c">(plus_one)))[0].name.view() ==
              "a[0:2]+b[0:3]");
static_assert(stages(pipeline(input<int>, concurrent(block<"a[0]">(plus_one), block<"a[1]">(plus_one)), block<"c">(sum)))[0].name.view() == "a[0]|a[1]");

// Several blocks, repetitions of repetitions, and repetitions as stages of their own.
constexpr auto pairs = pipeline(input<int>, repeat<2>(block<"a">(plus_one), block<"b">(doubled)));
static_assert(pairs.stage_count == 4 && pairs(1) == 10 && pairs.names()[1] == "b[0]" && pairs.names()[2] == "a[1]");
constexpr auto nested = single_stage(input<int>, repeat<2>(repeat<3>(block<"a">(plus_one)), block<"b">(doubled)));
static_assert(nested.block_count == 8 && nested.names()[2] == "a[0][2]" && nested.names()[4] == "a[1][0]" && nested(0) == 18);
static_assert(nested[name<"a[1][2]">].op_count == 1);

// Blocks are dealt out evenly; those placed on an IPU stay there.
constexpr auto split_up = pipeline(input<int>, split<3>(block<"in">(plus_one), repeat<6>(layer)), block<"out">(doubled));
static_assert(split_up.placement == placement<8>{{0, 0, 1, 1, 2, 2, 2, 3}, {}, {0, 0, 1, 1, 2, 2, 2, 3}});
static_assert(split_up(5) == single_stage(input<int>, block<"in">(plus_one), repeat<6>(layer), block<"out">(doubled))(5));
static_assert(pipeline(input<int>, split<2>(repeat<2>(layer.ipu<4>()))).ipu_of(1) == 4);
static_assert(pipeline(input<int>, split<4>(repeat<4>(layer))).stage_count == 4);
static_assert(pipeline(input<int>, repeat<4>(layer.ipu<1>()), block<"z">(plus_one).ipu<2>()).stage_count == 5 &&
              regroup<auto_stage::same_as_ipu>(pipeline(input<int>, repeat<4>(layer.ipu<1>()), block<"z">(plus_one).ipu<2>())).stage_count == 2);

// Ranges of names in a list.
static_assert(names_meant("layer[4:8]").size() == 4 && names_meant("layer[4:8]")[3] == fixed_string{"layer[7]"});
static_assert(names_meant("a[4][0:2]")[1] == fixed_string{"a[4][1]"});
static_assert(names_meant("layer[8:4]").size() == 1 && names_meant("layer[8:4]")[0] == fixed_string{"layer[8:4]"});
static_assert(names_meant("a:b").size() == 1 && names_meant("[:]").size() == 1 && names_meant("a[1:x]").size() == 1 &&
              names_meant("a[:2]").size() == 1 && names_meant("a[0:1234567]").size() == 1 && names_meant("a[0:2]b").size() == 1);

// A name is free again behind the block that used its value last, and not before.
constexpr auto again = pipeline(input<int>, stage(block<"a">(keep<"x">, doubled), block<"b">(use<"x">(sum)), block<"c">(keep<"x">, plus_one)),
                                block<"d">(use<"x">(sum)));
static_assert(again(3) == 9 + 10 && std::is_same_v<stage_output<decltype(again), 0>, std::tuple<int, int>>);
constexpr auto by_another_type = single_stage(input<int>, block<"a">(keep<"x">, use<"x">(sum)), block<"b">([](int x) { return x / 2.0; }, keep<"x">),
                                              block<"c">(use<"x">([](double a, double b) { return a + b; })));
static_assert(by_another_type(3) == 6.0);

}  // namespace

TEST_CASE("Names of repetitions count up however many there are") {
  const auto many = single_stage(input<int>, repeat<120>(block<"b">(plus_one)));
  CHECK(many.block_count == 120);
  for (std::size_t i = 0; i < 120; ++i) CHECK(many.names()[i] == "b[" + std::to_string(i) + "]");
}

}  // namespace repeat_test
