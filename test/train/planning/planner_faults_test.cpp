// SPDX-License-Identifier: BSL-1.0
// What a planner refuses, before it counts anything.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/planner.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <tuple>

namespace planner_faults_test {

using namespace ipuflow;

namespace {

constexpr auto network = single_stage(input<float, 8>, per_sample<"label", std::uint8_t>, block<"a">(nn::linear<8>), block<"b">(nn::relu),
                                      block<"c">(nn::linear<4>), block<"d">(use<"label">(nn::cross_entropy)));

train::planner planner() { return {ipu::mk2, {train::planned(network, plan::numbers::f32_32, train::sgd{})}}; }

}  // namespace

TEST_CASE("a planner has the networks that it was given, and no others") {
  train::planner p = planner();
  CHECK_THROWS_WITH(std::ignore = p({.precision = plan::numbers::f16_16}),
                    "ipuflow: the planner was given no network of precision 16.16; give train::planned(network, precision, optimiser) of it");
  CHECK_THROWS_WITH(std::ignore = p({.bytes_in = true}),
                    "ipuflow: the planner was given no network of precision 32.32 with bytes; give train::planned(network, precision, optimiser) of it");
  CHECK(p.network({}).blocks() == 4);
  CHECK(p.counted_chips() == 0);
}

TEST_CASE("the schedule has as many stages as the network is cut into, each on one chip") {
  train::planner p = planner();
  CHECK_THROWS_WITH(std::ignore = p({.cuts = {1}, .ipus = 3, .accumulation = 8}), "ipuflow: the schedule '1f1b' has 3 stages and the network is cut into 2; give 2 cuts");
  CHECK_THROWS_WITH(std::ignore = p({.cuts = {1}, .schedule = "chimera", .ipus = 2, .accumulation = 8}),
                    "ipuflow: the schedule 'chimera' runs stages on two chips each, which is not planned; count it with train::session");
  CHECK(p.counted_chips() == 0);
}

TEST_CASE("cuts are blocks in order") {
  train::planner p = planner();
  const auto cut = [&](std::size_t a, std::size_t b) { return p({.cuts = {a, b}, .ipus = 3, .accumulation = 8}); };
  CHECK_THROWS_WITH(std::ignore = cut(0, 2), "ipuflow: a stage of the plan begins with block 0 of 4; cuts rise from block to block");
  CHECK_THROWS_WITH(std::ignore = cut(2, 2), "ipuflow: a stage of the plan begins with block 2 of 4; cuts rise from block to block");
  CHECK_THROWS_WITH(std::ignore = cut(2, 4), "ipuflow: a stage of the plan begins with block 4 of 4; cuts rise from block to block");
  CHECK(p.counted_chips() == 0);
}

TEST_CASE("no fault has no sentence") { CHECK(sentence(train::planner_fault{}).view().empty()); }

}  // namespace planner_faults_test
