// SPDX-License-Identifier: BSL-1.0
// A pipeline in the stages of a partition is the one that is written down with these stages.
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/plan/partition/in_stages.hpp>

#include <doctest/doctest.h>

#include <array>
#include <type_traits>

namespace in_stages_test {

using namespace ipuflow;

namespace {

constexpr int twice(int x) { return 2 * x; }

constexpr auto network = single_stage(input<int>, block<"a">(twice), repeat<3>(block<"b">(twice)), block<"c">(twice, twice));
constexpr std::array<plan::chain_block, 5> times{{{5}, {1}, {2}, {2}, {4}}};

}  // namespace

TEST_CASE("stages are those of the partition, on IPUs of their own") {
  constexpr auto best = plan::balance(times, {.stages = 3});
  static_assert(best.bottleneck == 5 && best.cuts == per_stage(1, 4));
  constexpr auto staged = plan::in_stages<best>(network);
  constexpr auto written = regroup(network, stage<"a">(), stage<"b[0:3]">(), stage<"c">());
  static_assert(std::is_same_v<decltype(staged), decltype(written)>);
  static_assert(staged(1) == 64);
  CHECK(staged.ipu_of(2) == 2);
}

TEST_CASE("a network that has stages is cut anew, inside of blocks, too") {
  constexpr auto cut = regroup(network, stage<"a", "b[0:3]">(), stage<"c">(), stage<"c[1]">());
  static_assert(cut.block_count == 6);
  constexpr auto staged = plan::in_stages<plan::balance({{1}, {1}, {1}, {1}, {1}, {1}}, {.stages = 2})>(cut);
  static_assert(std::is_same_v<decltype(staged), const std::remove_const_t<decltype(regroup(
                                                     cut, stage<"a", "b[0:2]">(), stage<"b[2]", "c", "c[1]">()))>>);
  CHECK(staged(1) == 64);
}

TEST_CASE("a partition of other blocks, and branches, are refused") {
  constexpr auto three = plan::balance({{1}, {1}, {1}}, {.stages = 2});
  CHECK(plan::impl::verify_cuts(three, network.placement) == plan::balance_fault{plan::balance_wrong::other_pipeline, 3, 5});
  constexpr auto branches = pipeline(input<int>, stage(block<"a">(twice)), concurrent(stage(block<"b">(twice)), stage(block<"c">(twice))));
  CHECK(plan::impl::verify_cuts(three, branches.placement).kind == plan::balance_wrong::has_branches);
  CHECK(plan::impl::verify_cuts(three, branches.placement).where.stage == 1);
}

}  // namespace in_stages_test
