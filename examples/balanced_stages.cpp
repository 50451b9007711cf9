// SPDX-License-Identifier: BSL-1.0
// A network of types that takes the stages of a partition: its blocks are cut where the longest stage is shortest, before the
// program runs. It prints the stages.
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/plan/partition/in_stages.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

// begin: stages
constexpr auto layer = block<"layer">(keep<"skip">, nn::layer_norm, nn::linear<256>, nn::gelu, nn::linear<64>, use<"skip">(nn::add));

constexpr auto network = single_stage(input<float, 784>, per_sample<"label", std::uint8_t>,
    block<"images">(nn::linear<64>),
    repeat<10>(layer),
    block<"classes">(nn::linear<10>, use<"label">(nn::cross_entropy)));

/// Multiplications a block does for a sample: forward once, backward twice.
constexpr auto work = [] {
  std::array<plan::chain_block, network.block_count> blocks{};
  blocks.fill({.forward = 2 * 64 * 256, .backward = 4 * 64 * 256});
  blocks.front() = {.forward = 784 * 64, .backward = 784 * 64};  // nothing goes back to the images
  blocks.back() = {.forward = 64 * 10, .backward = 2 * 64 * 10};
  return blocks;
}();

constexpr auto best = plan::balance(work, {.stages = 4});
static_assert(best.cuts == per_stage(2, 5, 8) && best.bottleneck == 296'832);

constexpr auto balanced = plan::in_stages<best>(network);
static_assert(balanced.stage_count == 4 && balanced.ipu_of(3) == 3);
// end: stages

int main() {
  for (const stage_facts& s : stages(balanced)) std::printf("'%s' on IPU %zu\n", s.name.data(), s.ipus[0]);
}
