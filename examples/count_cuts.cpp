// SPDX-License-Identifier: BSL-1.0
// All cuts of a network into two stages, counted on two simulated chips, and the one that balances its blocks: the network is compiled
// once, and cut while the program runs.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/plan.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

// begin: cuts
constexpr auto network = single_stage(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
                                      block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu),
                                      block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu),
                                      block<"B3">(nn::flatten, nn::linear<256>, nn::relu),
                                      block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy)));
constexpr std::size_t all_blocks = network.block_count;

/// Sixteen micro-batches forwards and backwards, if the second stage begins with block `cut`.
run::chips_profile count(std::size_t cut) {
  const auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 16});
  const std::size_t begins[] = {0, cut, all_blocks};
  const nn::network_on_tiles whole(network);
  const auto lower = [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) {
    return whole.lower(g, nn::block_range{begins[stage], begins[stage + 1]}, how);
  };
  return run::on_chips(timetable, ipu::pod(ipu::mk2, 2), lower, {.samples = 40}).cost();
}

int main() {
  for (std::size_t cut = 1; cut < all_blocks; ++cut) {
    const ipu::profile chips = count(cut).chips;
    std::printf("second stage from B%zu on: %7llu cycles, %6u bytes on the fullest tile\n", cut + 1,
                static_cast<unsigned long long>(chips.total.value), static_cast<unsigned>(chips.memory.tiles[chips.memory.fullest].total()));
  }
  const auto blocks = nn::block_chain(network, ipu::mk2, {.samples = 40});  // each counted where it stands
  const auto best = plan::balance(blocks, {.stages = 2});
  std::printf("balanced: from B%zu on, %zu cycles for a micro-batch in the longer stage\n", best.cuts[0] + 1, best.bottleneck);
}
// end: cuts
