// SPDX-License-Identifier: BSL-1.0
// Stages are decided after the blocks: the model stays what it is and computes what it did. Vectors of automatic staging:
// PopTorch's pipelining tests.
#include <ipuflow/graph/regroup.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace regroup_test {

using namespace ipuflow;
using namespace ipuflow::impl;

namespace {

constexpr int plus_one(int x) { return x + 1; }
constexpr int doubled(int x) { return 2 * x; }
constexpr int sum(int x, int y) { return x + y; }

constexpr auto p = pipeline(input<int>, block<"B1">(plus_one, keep<"x">).ipu<0>(), block<"B2">(doubled).ipu<1>(),
                            block<"B3">(plus_one).ipu<2>(), block<"B4">(use<"x">(sum)).ipu<1>());

// By name, by IPU and by counting.
constexpr auto halves = regroup(p, stage<"B1", "B2">().ipu<0>(), stage<"B3", "B4">().ipu<1>());
static_assert(halves.placement == placement<4>{{0, 0, 1, 1}, {}, {0, 0, 1, 1}});
constexpr auto far_apart = regroup(p, stage<"B1", "B2">(), stage<"B3", "B4">().ipu<9>());
static_assert(far_apart.placement == placement<4>{{0, 0, 1, 1}, {}, {0, 0, 9, 9}}, "a stage without an IPU gets the next one");
constexpr auto whole = regroup(p, stage<"B1", "B2", "B3", "B4">());
static_assert(whole.stage_count == 1);

constexpr auto counted = regroup<auto_stage::auto_increment>(p);
static_assert(counted.placement == placement<4>{{0, 1, 2, 3}, {}, {0, 1, 2, 1}}, "IPUs 0, 1, 2, 1: four stages");

constexpr auto three = pipeline(input<int>, block<"a">(plus_one).ipu<0>(), block<"b">(plus_one).ipu<1>(), block<"c">(plus_one).ipu<1>());
static_assert(regroup<auto_stage::same_as_ipu>(three).placement == placement<3>{{0, 1, 1}, {}, {0, 1, 1}}, "0, 1, 1");
static_assert(regroup<auto_stage::same_as_ipu>(pipeline(input<int>, block<"a">(plus_one).ipu<0>(), block<"b">(plus_one).ipu<0>()))
                      .placement == placement<2>{{0, 0}, {}, {0, 0}},
              "two blocks on one IPU are one stage");

// By the blocks at which stages begin; the first block needs no name, and may have one.
constexpr auto from_three = regroup_at<"B3">(p);
static_assert(std::is_same_v<decltype(regroup_at<"B3">(p)), decltype(regroup(p, stage<"B1", "B2">().ipu<0>(), stage<"B3", "B4">().ipu<1>()))>);
static_assert(std::is_same_v<decltype(regroup_at<"B1", "B3">(p)), decltype(regroup_at<"B3">(p))>);
static_assert(regroup_at<>(p).stage_count == 1);
static_assert(regroup_at<"B2", "B3", "B4">(p).placement == placement<4>{{0, 1, 2, 3}, {}, {0, 1, 2, 3}});
static_assert(std::is_same_v<decltype(regroup_at<"B1[1]", "B4">(p)),
                             decltype(regroup(p, stage<"B1">(), stage<"B1[1]", "B2", "B3">(), stage<"B4">()))>,
              "a stage may begin inside a block");
static_assert(from_three(1) == p(1) && regroup_at<"B1[1]", "B4">(p)(1) == p(1));

// What is carried follows the stages.
template <class P, std::size_t Stage>
using out = stage_output<P, Stage>;
static_assert(std::is_same_v<out<decltype(halves), 0>, std::tuple<int, int>>);
static_assert(std::is_same_v<out<decltype(whole), 0>, std::tuple<int>>);
static_assert(std::is_same_v<out<decltype(counted), 2>, std::tuple<int, int>>);

// Regrouping twice is regrouping once, and back is where it was.
static_assert(std::is_same_v<decltype(regroup(halves, stage<"B1">().ipu<0>(), stage<"B2">().ipu<1>(), stage<"B3">().ipu<2>(),
                                              stage<"B4">().ipu<1>())),
                             std::remove_const_t<decltype(p)>>);

// Into and out of concurrency, where the types allow it.
constexpr auto line = pipeline(input<int>, block<"a">(plus_one), block<"b">(plus_one), block<"c">(doubled),
                               block<"d">([](auto... x) { return (x + ... + 0); }));
constexpr auto split_up = regroup(line, stage<"a">(), concurrent(stage<"b">(), stage<"c">()), stage<"d">());
static_assert(line(1) == 6 && split_up(1) == 7 && split_up.stage_count == 3);
static_assert(split_up.placement == placement<4>{{0, 1, 1, 2}, {0, 0, 1, 0}, {0, 1, 2, 3}});

static_assert(std::is_same_v<decltype(regroup<auto_stage::auto_increment>(split_up)), std::remove_const_t<decltype(split_up)>>);
static_assert(std::is_same_v<decltype(regroup<auto_stage::same_as_ipu>(split_up)), std::remove_const_t<decltype(split_up)>>);

// Other IPUs for the same stages.
constexpr auto placed = place<7, ipus(5, 6), 7>(split_up);
static_assert(placed.placement == placement<4>{{0, 1, 1, 2}, {0, 0, 1, 0}, {7, 5, 6, 7}} && placed(1) == split_up(1));
static_assert(std::is_same_v<decltype(place<0, 1, 2, 1>(p)), std::remove_const_t<decltype(p)>>);
static_assert(std::is_same_v<decltype(place<ipus(0), 1, 2, 1>(p)), std::remove_const_t<decltype(p)>>, "one IPU is a list of one");

}  // namespace

TEST_CASE("regrouping changes where, not what") {
  for (int x = -20; x < 20; ++x) {
    CAPTURE(x);
    CHECK(halves(x) == p(x));
    CHECK(far_apart(x) == p(x));
    CHECK(whole(x) == p(x));
    CHECK(counted(x) == p(x));
    CHECK(p(x) == 2 * (x + 1) + 1 + (x + 1));
    CHECK(placed(x) == split_up(x));
  }
}

TEST_CASE("ops that can only be moved are regrouped and placed by moving") {
  struct adder {
    std::unique_ptr<int> by;
    int operator()(int x) const { return x + *by; }
  };
  auto original = pipeline(input<int>, block<"a">(adder{std::make_unique<int>(5)}), block<"b">(doubled), block<"c">(plus_one));
  auto grouped = regroup(std::move(original), stage<"a", "b">(), stage<"c">());
  CHECK(grouped(1) == 13);
  const auto elsewhere = place<3, 4>(std::move(grouped));
  CHECK(elsewhere(1) == 13);
  CHECK(elsewhere.ipu_of(1) == 4);
}

TEST_CASE("what a list gets wrong is thrown with the sentence that the compiler says") {
  constexpr auto names = p.names();
  CHECK_THROWS_WITH_AS(throw_if(flow::verify_regrouping(names, flow::list_of<stage_of_names<0, "B1", "B7">, stage_of_names<1, "B2">>)),
                       "ipuflow: there is no block 'B7'; the blocks are B1, B2, B3, B4", error);
  CHECK_THROWS_WITH_AS(throw_if(flow::verify_regrouping(names, flow::list_of<stage_of_names<0, "B1", "B2">, stage_of_names<1, "B3">>)),
                       "ipuflow: block 'B4' is in none of the 2 stages; add it to one", error);
  CHECK_THROWS_WITH_AS(throw_if(flow::verify_regrouping(names, auto_stages(auto_stage::same_as_ipu, names, p.placement))),
                       "ipuflow: block 'B4' is in stage 1 but the block before it in stage 2; stages follow the data, so list "
                       "blocks in the order in which it flows",
                       error);
  CHECK_NOTHROW(throw_if(flow::verify_regrouping(names, auto_stages(auto_stage::auto_increment, names, p.placement))));
}

}  // namespace regroup_test
