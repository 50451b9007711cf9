// SPDX-License-Identifier: BSL-1.0
// Plans of the sums of partial results: tiles that made partials of the same block share out its elements, in whole panels. Where
// there are more partials than shares, a few tiles would receive all of them: some partials are then added up first.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>

namespace ipuflow::ipu::impl {

/// A copy that brings or delivers: a sync, the way, the busiest tile's bytes, and the call for those that stay on their tile.
constexpr cycles copied(const architecture& chip, std::size_t size) {
  return chip.sync + chip.exchange_latency + cycles{divided_up(size, chip.exchange_width)} + alone(local_copy_cost(chip, {}), chip);
}

/// The shares of a block's sums: whole panels of rows, where there are several.
constexpr dimension_cut share_cut(std::size_t size, std::size_t parts) { return {size, parts, panel_columns}; }
constexpr std::size_t largest_share(std::size_t size, std::size_t parts) {
  return algorithms::min(size, divided_up(divided_up(size, panel_columns), parts) * panel_columns);
}

/// The partials of a block that are added up together: all, or first some and then their sums.
struct reduction_plan {
  std::size_t together = 1;
  cycles estimate{};

  /// The sums that are left for a second time; one if there is none.
  constexpr std::size_t sums(std::size_t parts) const { return divided_up(parts, together); }
};

/// `depth` partials of a block, of which `parts` tiles take shares.
constexpr cycles added_up(const architecture& chip, element_type type, std::size_t size, std::size_t depth, std::size_t parts) {
  const std::size_t share = largest_share(size, parts);
  return copied(chip, share * depth * size_of(type)) + alone(reduce_cost(chip, type, depth, share), chip);
}

/// As many at first as there are shares, or the root of all, which makes both times as short.
constexpr reduction_plan plan_reduction(const architecture& chip, element_type type, std::size_t size, std::size_t parts) {
  const reduction_plan once{parts, added_up(chip, type, size, parts, parts)};
  std::size_t together = divided_up(size, panel_columns);
  while (together * together < parts) ++together;
  if (2 * together > parts) return once;
  const cycles twice = added_up(chip, type, size, together, together) +
                       added_up(chip, element_type::f32, size, divided_up(parts, together), parts);
  return twice < once.estimate ? reduction_plan{together, twice} : once;
}

}  // namespace ipuflow::ipu::impl
