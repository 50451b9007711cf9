// SPDX-License-Identifier: BSL-1.0
// The bytes that a chip's fullest tile needs at least, by what its blocks keep. They are known before the chip is counted, so a
// search counts no chip that is far too full.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>
#include <ipuflow/plan/partition/chain.hpp>
#include <ipuflow/plan/predict/configuration.hpp>
#include <ipuflow/run/chips/stage_waits.hpp>
#include <ipuflow/train/chips/cut_network.hpp>
#include <ipuflow/train/planning/configured.hpp>
#include <ipuflow/train/planning/planned_network.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// Bytes of a trained number that a chip keeps whole: its own, those of the sum of its gradients, and of the optimiser's state.
template <class = void>
[[nodiscard]] std::size_t bytes_of_number(const plan::configuration& c, std::size_t state) {
  const number_types types = numbers_of(c);
  const bool trains = c.run_for == mode::training, shares = c.replicas > 1;
  const bool shares_state = shares && (c.shard_optimiser || c.shard_gradients || c.shard_weights);
  std::size_t made = 0;
  if (!c.weights_off_chip && !(shares && c.shard_weights)) made += ipu::size_of(types.parameters);
  if (trains && !c.accumulators_off_chip && !(shares && c.shard_gradients)) made += ipu::size_of(types.accumulators);
  if (trains && !c.optimiser_off_chip && !shares_state) made += state;
  return made;
}

/// The mean, over its tiles, of what a chip keeps: the trained numbers of its stages, and what waits for their backward passes.
/// `chain`: the blocks with what each keeps as a stage of its own; of two neighbours both keep what is handed on between them.
template <class = void>
[[nodiscard]] std::size_t least_bytes(const plan::configuration& c, const planned_network& planned,
                                      light_span<const plan::chain_block> chain, light_span<const run::stage_waits> waits,
                                      std::size_t chip, std::size_t tiles) {
  const cut_network of{planned.network, c.cuts};
  const std::size_t of_number = bytes_of_number(c, planned.state_bytes);
  std::size_t sum = 0;
  for (const run::stage_waits& w : waits) {
    if (w.chip != chip) continue;
    const nn::block_range blocks = of.range(w.stage);
    sum += planned.network.numbers_of(blocks) * of_number;
    if (c.run_for == mode::inference || c.activations_off_chip || w.recomputes) continue;
    std::size_t kept = 0, twice = 0;
    for (std::size_t b = blocks.first; b < blocks.last; ++b) {
      kept += chain[b].activation_bytes;
      if (b + 1 < blocks.last) twice += chain[b].cut_bytes;
    }
    if (kept > twice) sum += (kept - twice) * algorithms::max(w.values, std::size_t{1});
  }
  return sum / tiles;
}

}  // namespace ipuflow::train::impl
