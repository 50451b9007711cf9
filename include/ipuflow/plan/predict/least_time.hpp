// SPDX-License-Identifier: BSL-1.0
// The time of the chip that works longest if a network is cut as evenly as it can be, by the times of its blocks alone. It is
// known before any chip is counted, so a search counts no configuration that is far too slow.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/plan/partition/chain.hpp>
#include <ipuflow/plan/partition/chain_costs.hpp>
#include <ipuflow/plan/partition/stage_search.hpp>
#include <ipuflow/plan/predict/fitting_cuts.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <cstddef>

namespace ipuflow::plan {

/// The time of a chip for a micro-batch, at least, where the blocks of a network are cut into the stages of a schedule. Chips
/// share all the work; and where a stage has one chip, that one does all of it.
template <class = void>
[[nodiscard]] std::size_t least_time(light_span<const chain_block> blocks, const schedule_steps& steps) {
  impl::chain_times times{.once = {0}, .again = {}};
  for (const chain_block& b : blocks) times.once.push_back(times.once.back() + b.forward + b.backward);
  const std::size_t shared = times.once.back() / steps.ipus;
  if (steps.other_ipu_of != steps.ipu_of || steps.stages > blocks.size()) return shared;
  const schedule::stage_set none_again{};
  impl::allowed_costs cost(times, steps.stages, {}, none_again, false);
  return algorithms::max(shared, impl::least_longest(cost, impl::none));
}

}  // namespace ipuflow::plan
