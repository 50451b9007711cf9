// SPDX-License-Identifier: BSL-1.0
// Zero bubble for given costs: the orders that fill gaps, in the memory of two values an IPU. A value frees half of its memory with its
// backward for inputs and half with that for weights. The shortest of the eight orders counts.
#pragma once

#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/search/gap_filling.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// A line whose memory is counted in halves of a value.
template <pricing Costs>
struct zb2p_line {
  static constexpr pass kinds[] = {pass::forward, pass::backward_inputs, pass::backward_weights};

  const Costs& costs;
  std::size_t stages = 0;
  std::size_t micro_batches = 0;

  constexpr std::size_t time(std::size_t stage, std::size_t which) const { return costs.of(kinds[which], stage); }
  constexpr std::size_t message(std::size_t stage, std::size_t) const { return message_time(costs, stage); }
  constexpr std::ptrdiff_t adds(std::size_t, std::size_t which) const { return which == 0 ? 2 : -1; }
  constexpr std::ptrdiff_t limit(std::size_t) const { return static_cast<std::ptrdiff_t>(4 * stages); }
};

/// The shortest of the eight orders, by makespan and then by its longest span; its rows are empty if none fits.
template <pricing Costs>
[[nodiscard]] constexpr table zb2p_filled(const grid& where, const Costs& c) {
  table best{where, mode::training};
  std::size_t makespan = nowhere, span = nowhere;
  const zb2p_line<Costs> line{c, where.ipus, where.micro_batches};
  for (unsigned way = 0; way < 8; ++way) {
    gap_filling tried{line, filling_way(way)};
    if (!tried.run()) continue;
    if (tried.makespan() > makespan || (tried.makespan() == makespan && tried.span() >= span)) continue;
    makespan = tried.makespan();
    span = tried.span();
    for (std::size_t stage = 0; stage < where.ipus; ++stage) {
      auto& row = best.rows[stage] = {};
      std::size_t next[3]{};
      for (const unsigned char which : tried.passes(stage)) {
        row.push_back({{line.kinds[which], stage, next[which]++}, row.size(), false});
      }
    }
  }
  return best;
}

}  // namespace ipuflow::schedule::impl
