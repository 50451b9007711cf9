// SPDX-License-Identifier: BSL-1.0
// The blocks of a pipeline as a chain for `plan::balance`: the cycles that each takes on a chip, counted where it stands among the
// others, and the bytes of its parameters, of what goes on behind it, and of what it keeps for its backward pass as a stage of its own: what
// two neighbours read backwards counts for both, so that no stage needs more than its blocks.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/nn/stage/network_on_tiles.hpp>
#include <ipuflow/plan/partition/chain.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

template <class = void>
[[nodiscard]] light_vector<plan::chain_block> counted_chain(const stage_on_tiles& stage, std::size_t blocks, const ipu::architecture& chip,
                                                           plan::lowering_options how) {
  light_vector<plan::chain_block> made(blocks);
  ipu::graph g(chip);
  how.label_blocks = true;
  const plan::lowered part = stage_lowering{g, stage, how}.take();
  const auto add = [&](const ipu::step& program, std::size_t plan::chain_block::*time) {
    if (program.empty()) return;
    for (const ipu::activity& a : ipu::cost(ipu::pod(chip, 1), g, program, {.allow_out_of_memory = true}).activities) {
      if (a.label != ipu::no_label) made[a.label].*time += a.length.value * a.turns;
    }
  };
  add(part.forward, &plan::chain_block::forward);
  add(part.backward, &plan::chain_block::backward);
  const plan_view& plan = stage.plan;
  const slot_uses uses(plan, blocks);
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    if (stage.arguments[i] != no_argument) continue;
    const std::size_t size = plan.slots[i].elements * how.samples * ipu::size_of(stage.types[i]);
    for (std::size_t b = uses.made_by[i]; b + 1 < blocks && uses.passes(i, b); ++b) made[b].cut_bytes += size;
  }
  for (const step_plan& step : plan.steps) made[slot_uses::block_of(step, blocks)].parameter_bytes += step.facts.parameters * ipu::size_of(how.parameters);
  for (std::size_t i = 0; how.training && i < plan.steps.size(); ++i) {  // notes wait with values
    if (stage.code[i]->noted != nullptr) made[slot_uses::block_of(plan.steps[i], blocks)].activation_bytes += 2 * sizeof(float) * stage.code[i]->noted(how.samples);
  }
  for (std::size_t b = 0; how.training && b < blocks; ++b) {
    const stage_cut alone(stage, blocks, {b, b + 1});
    const stage_on_tiles cut = alone.table();
    for (std::size_t i = 0; i < cut.plan.slots.size(); ++i) {
      const slot_plan& slot = cut.plan.slots[i];
      if (cut.arguments[i] != no_argument || slot.root != i || !(slot.needed_by_inputs || slot.needed_by_weights)) continue;
      made[b].activation_bytes += slot.elements * how.samples * ipu::size_of(cut.types[i]);
    }
  }
  return made;
}

}  // namespace impl

/// The blocks of a pipeline of one stage, with the cycles of their passes over a micro-batch on a chip.
template <class = void>
[[nodiscard]] light_vector<plan::chain_block> block_chain(const network_on_tiles& network, const ipu::architecture& chip, const plan::lowering_options& how) {
  return impl::counted_chain(network.stage(), network.blocks(), chip, how);
}

}  // namespace ipuflow::nn
