// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/least_time.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace least_time_test {

using namespace ipuflow;

namespace {

/// The longest stage of the cuts that have the least: all are tried.
std::size_t least_longest(const std::vector<plan::chain_block>& blocks, std::size_t stages, std::size_t first = 0) {
  std::size_t here = 0, least = static_cast<std::size_t>(-1);
  for (std::size_t end = first; end < blocks.size(); ++end) {
    here += blocks[end].forward + blocks[end].backward;
    const std::size_t left = blocks.size() - end - 1;
    if (stages == 1 ? left == 0 : left >= stages - 1) least = std::min(least, stages == 1 ? here : std::max(here, least_longest(blocks, stages - 1, end + 1)));
  }
  return least;
}

}  // namespace

TEST_CASE("where each stage has a chip the least time is that of the longest stage of the best cuts") {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<plan::chain_block> blocks(2 + random() % 7);
    std::size_t all = 0;
    for (plan::chain_block& b : blocks) b.forward = random() % 50, b.backward = random() % 100, all += b.forward + b.backward;
    for (std::size_t ipus = 1; ipus <= blocks.size(); ++ipus) {
      const plan::schedule_steps steps = plan::steps_of("1f1b", {.ipus = ipus, .micro_batches = 2 * ipus});
      REQUIRE(!steps.refused);
      CHECK(plan::least_time<>(blocks, steps) == std::max(all / ipus, least_longest(blocks, ipus)));
    }
  }
}

TEST_CASE("where chips share stages it is their part of all the work, or the longest stage") {
  const std::vector<plan::chain_block> even(4, {.forward = 10, .backward = 20}), uneven{{.forward = 10}, {.forward = 90}, {.forward = 10}, {.forward = 10}};
  const plan::schedule_steps round = plan::steps_of("interleaved_1f1b", {.ipus = 2, .stages_per_ipu = 2, .micro_batches = 4});
  CHECK(plan::least_time<>(even, round) == 60);
  CHECK(plan::least_time<>(uneven, round) == 90);
  const plan::schedule_steps both_ways = plan::steps_of("chimera", {.ipus = 4, .micro_batches = 8});
  REQUIRE(!both_ways.refused);
  CHECK(plan::least_time<>(uneven, both_ways) == 30);  // each stage has two chips
  CHECK(plan::least_time<>(std::vector<plan::chain_block>{{.forward = 8}}, round) == 4);  // there are no such stages
}

}  // namespace least_time_test
