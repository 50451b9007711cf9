// SPDX-License-Identifier: BSL-1.0
// However a description is written, the same blocks in the same places are the same pipeline.
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/graph/stage_facts.hpp>

#include <doctest/doctest.h>

#include "greedy_names.hpp"

#include <string>
#include <tuple>
#include <type_traits>

namespace describe_test {

using namespace ipuflow;
using namespace ipuflow::impl;

namespace {

constexpr int plus_one(int x) { return x + 1; }
constexpr int sum(int x, int y) { return x + y; }
constexpr auto a = block<"a">(plus_one);
constexpr auto b = block<"b">(plus_one);
constexpr auto c = block<"c">(plus_one);
constexpr auto d = block<"d">(sum);

// Blocks, stages, placed here or there, constant or not.
constexpr auto plain = pipeline(input<int>, a, b, c);
static_assert(plain.placement == placement<3>{{0, 1, 2}, {}, {0, 1, 2}});
static_assert(std::is_same_v<decltype(plain), decltype(pipeline(input<int>, stage(a), b, stage(c))) const>);
static_assert(std::is_same_v<decltype(plain), decltype(pipeline(a, b, c)) const>, "a function tells what it takes");
static_assert(pipeline(input<int>, stage(a, b), c).placement == placement<3>{{0, 0, 1}, {}, {0, 0, 1}});
static_assert(pipeline(input<int>, stage(a).ipu<5>(), stage(b), stage(c).ipu<5>()).placement == placement<3>{{0, 1, 2}, {}, {5, 6, 5}},
              "two stages may share an IPU");
static_assert(pipeline(input<int>, block<"a">(plus_one).ipu<4>(), stage(block<"b">(plus_one).ipu<7>())).placement ==
                  placement<2>{{0, 1}, {}, {4, 7}},
              "a block's own IPU counts where its stage names none");
static_assert(pipeline(input<int>, stage(a, block<"b">(plus_one).ipu<4>()), c).placement == placement<3>{{0, 0, 1}, {}, {4, 4, 5}},
              "and whichever block of the stage has it");
static_assert(pipeline(input<int>, stage(a).ipu<1>(), b, c).placement == placement<3>{{0, 1, 2}, {}, {1, 2, 3}},
              "a stage without an IPU shares none");
static_assert(pipeline(input<int>, stage(block<"a">(plus_one).ipu<4>()).ipu<2>(), b).placement == placement<2>{{0, 1}, {}, {2, 3}},
              "a stage's IPU counts before its blocks'");

// Concurrent branches count as one stage; each has an IPU.
constexpr auto middle = pipeline(input<int>, a, concurrent(stage(b), stage(c)), d);
static_assert(middle.placement == placement<4>{{0, 1, 1, 2}, {0, 0, 1, 0}, {0, 1, 2, 3}});
constexpr auto front = pipeline(input<int>, concurrent(stage(a, b).ipu<8>(), c), d);
static_assert(front.placement == placement<4>{{0, 0, 0, 1}, {0, 0, 1, 0}, {8, 8, 9, 10}});
constexpr auto back = pipeline(input<int>, a, concurrent(b, c, block<"e">(plus_one)));
static_assert(back.stage_count == 2 && back(1) == std::tuple{3, 3, 3});
constexpr auto lone = pipeline(input<int>, concurrent(a), b);
static_assert(lone.placement == placement<2>{{0, 1}, {}, {0, 1}} && lone(1) == 3, "one branch is no fork");
static_assert(middle(1) == 6 && front(1) == 5);

// Everything in one stage, on one IPU, whatever was said before.
constexpr auto whole = single_stage(input<int>, stage(a, b).ipu<3>(), stage(c).ipu<4>());
static_assert(whole.placement == placement<3>{{0, 0, 0}, {}, {3, 3, 3}} && whole(1) == 4);
static_assert(single_stage(input<int>, a).stage_count == 1);

// What is given.
constexpr auto lengths = pipeline(block<"m">(&std::string::size), block<"n">([](std::size_t n) { return n; }));
static_assert(std::is_same_v<decltype(lengths)::start,
                             flow::point<values<std::string>>>);

}  // namespace

TEST_CASE("every way to write it computes the same") {
  auto changeable = block<"c">(plus_one);
  const auto from_lvalues = pipeline(input<int>, a, stage(b), changeable);
  const auto from_rvalues = pipeline(input<int>, block<"a">(plus_one), stage(block<"b">(plus_one)), std::move(changeable));
  static_assert(std::is_same_v<decltype(from_lvalues), decltype(from_rvalues)>);
  for (int x = 0; x < 10; ++x) {
    CHECK(from_lvalues(x) == x + 3);
    CHECK(from_rvalues(x) == plain(x));
    CHECK(whole(x) == plain(x));
    CHECK(middle(x) == 2 * (x + 2));
  }
}

TEST_CASE("lists are refused before anybody looks at types") {
  using list = bounded_vector<listed_block, 4>;
  CHECK_THROWS_WITH_AS(throw_if(flow::verify_list(list{}, 2)),
                       "ipuflow: a pipeline or stage without blocks does nothing; give it block<...>(op...)", error);
  const list one{{{fixed_string<60>{std::string_view{"a"}}}, {fixed_string<60>{std::string_view{"b"}}}}, 2};
  CHECK_THROWS_WITH_AS(throw_if(flow::verify_list(one, 2)),
                       "ipuflow: a pipeline needs at least 2 stages but has 1; add a stage, or say single_stage(...) if one is meant",
                       error);
  CHECK_NOTHROW(throw_if(flow::verify_list(one, 1)));
  const auto late = flow::verify_order<block_t<"a", 0>, input_t<int>>();
  CHECK_THROWS_WITH_AS(throw_if(late),
                       "ipuflow: argument 1 of pipeline(...) does not belong there, it is input_t<int>; give it inputs and "
                       "named values, then stages and block<\"name\">(op...)",
                       error);
}

TEST_CASE("functions of a user's namespace that take anything are not called for its types") {
  constexpr auto p = ipuflow::pipeline(input<greedy::thing>, per_sample<"other", greedy::thing>, per_run<"more", greedy::thing>,
      ipuflow::block<"a">(&greedy::thing::self, keep<"kept">),
      ipuflow::concurrent(ipuflow::block<"b">(greedy::next_thing{}), ipuflow::block<"c">(ipuflow::ops(greedy::next_thing{}))),
      ipuflow::block<"d">(greedy::sum_of_things{}, ipuflow::use<"kept">(greedy::sum_of_things{}),
                          ipuflow::use<"other">(greedy::sum_of_things{}), ipuflow::use<"more">(greedy::sum_of_things{})));
  CHECK(p(greedy::thing{1}, greedy::thing{20}, greedy::thing{1000}).number == 1025);
  CHECK(ipuflow::stages(p).size() == 3);
  constexpr auto line = ipuflow::pipeline(input<greedy::thing>,
      ipuflow::split<2>(ipuflow::repeat<4>(ipuflow::block<"e">(greedy::next_thing{}, greedy::next_thing{}))));
  CHECK(regroup_at<"e[1]", "e[2][1]">(line)(greedy::thing{}).number == 8);
}

}  // namespace describe_test
