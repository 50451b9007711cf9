// SPDX-License-Identifier: BSL-1.0
// A pipeline that the compiler cuts into stages and schedules: from the work of its own blocks, within the memory of an IPU. That
// no schedule is shorter is asserted, too.
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/plan/partition/in_stages.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

// begin: stages
constexpr auto layer = block<"layer">(keep<"skip">, nn::layer_norm, nn::linear<256>, nn::gelu, nn::linear<64>, use<"skip">(nn::add));

constexpr auto network = single_stage(input<float, 784>, per_sample<"label", std::uint8_t>,
    block<"images">(nn::linear<64>), repeat<7>(layer), block<"classes">(nn::linear<10>, use<"label">(nn::cross_entropy)));

/// Thousands of multiplications that a block does for a sample: forward once, backward twice.
constexpr auto work = [] {
  std::array<plan::chain_block, network.block_count> blocks{};
  blocks.fill({.forward = 33, .backward = 66});
  blocks.front() = {.forward = 50, .backward = 50};  // nothing goes back to the images
  blocks.back() = {.forward = 1, .backward = 1};
  return blocks;
}();
constexpr auto cut = plan::balance(work, {.stages = 4});
constexpr auto balanced = plan::in_stages<cut>(network);
// end: stages

// begin: search
/// The work of the stages; half of each backward is that for weights.
constexpr auto costs = [] {
  schedule::costs_of_stages<4> made;
  std::size_t block = 0;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::size_t end = stage < 3 ? cut.cuts[stage] : network.block_count;
    schedule::costs of{.forward = 0, .backward_inputs = 0, .backward_weights = 0, .communication = 2};
    for (; block < end; ++block) {
      of.forward += work[block].forward;
      of.backward_inputs += work[block].backward / 2;
      of.backward_weights += work[block].backward / 2;
    }
    made.stage.push_back(of);
  }
  return made;
}();

constexpr schedule::grid line_of_four{.ipus = balanced.stage_count, .stages = balanced.stage_count, .micro_batches = 8};
constexpr schedule::search_memory memory() { return {{3, -2, -1}, 15}; }
constexpr schedule::search_options options{.metric = schedule::search_metric::makespan, .iterations = 2};

static_assert(schedule::search(line_of_four, costs, memory(), options).makespan < 8 * 250);
// end: search

int main() {
  const auto found = schedule::search(line_of_four, costs, memory(), options);
  std::printf("%zu, no less than %zu\n", found.makespan, found.lower_bound);
}
