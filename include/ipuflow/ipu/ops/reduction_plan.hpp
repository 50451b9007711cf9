// SPDX-License-Identifier: BSL-1.0
// Plans of the sums of partial results: tiles that made partials of the same block share out its elements, in whole panels. Many partials
// are added up in several times, as the vendor's library does, because each message that a tile receives is an instruction.
#pragma once

#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace ipuflow::ipu::impl {

/// A copy that brings or delivers: a sync, the way, the busiest tile's bytes, and the call for those that stay on their tile.
constexpr cycles copied(const architecture& chip, std::size_t size) {
  return chip.sync + chip.exchange_latency + cycles{divided_up(size, chip.exchange_width)} + alone(local_copy_cost(chip, {}), chip);
}

/// The shares of a block's sums: whole panels of rows, where there are several.
constexpr dimension_cut share_cut(std::size_t size, std::size_t parts) { return {size, parts, panel_columns}; }
constexpr std::size_t largest_share(std::size_t size, std::size_t parts) {
  return std::min(size, divided_up(divided_up(size, panel_columns), parts) * panel_columns);
}

/// Times that sums are added up at most.
inline constexpr std::size_t most_sums = 3;

/// The partials of a block are added up at once, or some of them first, and then their sums: a tile then receives a message from each of
/// those of its own part, and not from all.
struct reduction_plan {
  std::size_t times = 1;
  std::array<std::size_t, most_sums> sums{1, 1, 1};  // of a block, that each time leaves
  cycles estimate{};

  /// The blocks that a tile has messages of, of `parts` partials.
  [[nodiscard]] constexpr std::size_t messages(std::size_t parts) const {
    std::size_t all = 0;
    for (std::size_t i = 0; i < times; parts = sums[i++]) all += divided_up(parts, sums[i]);
    return all;
  }
};

/// The vendor's thresholds, which it found by measuring [PL poplin, ConvReduce.cpp: getNumReduceStages].
constexpr std::size_t times_for(std::size_t parts) { return parts >= 125 ? 3 : parts >= 16 ? 2 : 1; }

/// The sums that are left by each of so many times, and the messages of a tile on average. The fewest messages are those of equal times;
/// as there, the whole numbers on either side of what these leave are tried [PL poplin, ConvReduce.cpp: getMultiStageReducePlanAndCost].
constexpr std::pair<reduction_plan, double> sums_in(std::size_t parts, std::size_t times) {
  if (times == 1) return {reduction_plan{}, static_cast<double>(parts)};
  const auto power = [&](std::size_t of, std::size_t to) {
    std::size_t made = 1;
    for (std::size_t i = 0; i < to; ++i) made *= of;
    return made;
  };
  std::size_t down = 1;
  while (power(down + 1, times) <= power(parts, times - 1)) ++down;
  std::pair<reduction_plan, double> best{};
  for (const std::size_t left : {down, down + 1}) {
    auto [then, messages] = sums_in(left, times - 1);
    messages += static_cast<double>(parts) / static_cast<double>(left);
    if (left != down && messages > best.second) continue;
    for (std::size_t i = times - 1; i > 0; --i) then.sums[i] = then.sums[i - 1];
    then.sums[0] = left, then.times = times;
    best = {then, messages};
  }
  return best;
}

/// The blocks that a tile has messages of, of so many partials.
constexpr std::size_t messages_of(std::size_t parts) { return sums_in(parts, times_for(parts)).first.messages(parts); }

/// `depth` partials of a block, of which `parts` tiles take shares.
constexpr cycles added_up(const architecture& chip, element_type type, std::size_t size, std::size_t depth, std::size_t parts) {
  const std::size_t share = largest_share(size, parts);
  return copied(chip, share * depth * size_of(type)) + alone(reduce_cost(chip, type, depth, share), chip);
}

constexpr reduction_plan plan_reduction(const architecture& chip, element_type type, std::size_t size, std::size_t parts) {
  reduction_plan made = sums_in(parts, times_for(parts)).first;
  std::size_t depth = parts;
  for (std::size_t i = 0; i < made.times; depth = made.sums[i++])
    made.estimate += added_up(chip, type, size, divided_up(depth, made.sums[i]), parts / made.sums[i]);
  return made;
}

/// The elements of sums that a tile has at most, of a block of `size`.
constexpr std::size_t most_summed(std::size_t size, std::size_t parts) {
  return largest_share(size, std::max<std::size_t>(1, parts / sums_in(parts, times_for(parts)).first.sums[0]));
}

}  // namespace ipuflow::ipu::impl
