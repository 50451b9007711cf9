// SPDX-License-Identifier: BSL-1.0
// The best cuts of a chain by dynamic programming over stages and blocks, from the last stage to the first: those with the
// least longest stage, and of these those with the least sum of squares. Every run of blocks is tried as every stage, so the
// result is optimal for any costs, whether or not they grow with each block.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/plan/partition/chain_costs.hpp>
#include <ipuflow/plan/partition/wide_sum.hpp>

#include <concepts>
#include <cstddef>

namespace ipuflow::plan::impl {

/// Costs of stages: `below` is a cost if it is below the bound, otherwise `none`; `least` is a lower limit of it that does not
/// fall where blocks are added.
template <class Cost>
concept stage_costs = requires(Cost& cost, std::size_t n) {
  { cost.stages() } -> std::convertible_to<std::size_t>;
  { cost.blocks() } -> std::convertible_to<std::size_t>;
  { cost.least(n, n, n) } -> std::convertible_to<std::size_t>;
  { cost.below(n, n, n, n) } -> std::convertible_to<std::size_t>;
};

/// The last block that each stage can begin with if the stages before it cost less than a bound.
template <stage_costs Cost>
constexpr dynamic_array<std::size_t> last_begins(const Cost& cost, std::size_t below) {
  const std::size_t stages = cost.stages(), blocks = cost.blocks();
  dynamic_array<std::size_t> last{stages, 0};
  for (std::size_t stage = 0; stage + 1 < stages; ++stage) {
    std::size_t end = last[stage];
    while (end < blocks && cost.least(stage, last[stage], end + 1) < below) ++end;
    last[stage + 1] = end;
  }
  for (std::size_t stage = 0; stage < stages; ++stage) {  // and a block is left for each stage behind
    if (last[stage] > blocks - (stages - stage)) last[stage] = blocks - (stages - stage);
  }
  return last;
}

/// The least that the costliest stage of a partition can cost; `none` if that is not below the bound.
template <stage_costs Cost>
constexpr std::size_t least_longest(Cost& cost, std::size_t bound) {
  const std::size_t stages = cost.stages(), blocks = cost.blocks();
  const dynamic_array<std::size_t> last_begin = last_begins(cost, bound);
  dynamic_array<std::size_t> behind{blocks + 1, none};
  behind[blocks] = 0;
  for (std::size_t stage = stages; stage-- > 0;) {
    dynamic_array<std::size_t> here{blocks + 1, none};
    const std::size_t last_end = blocks - (stages - 1 - stage);
    for (std::size_t first = stage; first <= last_begin[stage]; ++first) {
      std::size_t best = bound;
      for (std::size_t end = stage + 1 == stages ? blocks : first + 1; end <= last_end; ++end) {
        if (cost.least(stage, first, end) >= best) break;
        if (behind[end] >= best) continue;
        const std::size_t found = cost.below(stage, first, end, best);
        if (found != none) best = found < behind[end] ? behind[end] : found;
      }
      if (best < bound) here[first] = best;
    }
    behind = static_cast<dynamic_array<std::size_t>&&>(here);
  }
  return behind[0];
}

/// The begins of all stages, and the end of the last, of the partition with the least sum of squares in which no stage costs as
/// much as a bound; of several the one with the earliest cuts. There is such a partition.
template <stage_costs Cost>
constexpr dynamic_array<std::size_t> least_squares(Cost& cost, std::size_t bound) {
  struct best_from {
    wide_sum squares{};
    bool any = false;
  };
  const std::size_t stages = cost.stages(), blocks = cost.blocks();
  const dynamic_array<std::size_t> last_begin = last_begins(cost, bound);
  dynamic_array<std::size_t> ends{stages * (blocks + 1)};
  dynamic_array<best_from> behind{blocks + 1};
  behind[blocks].any = true;
  for (std::size_t stage = stages; stage-- > 0;) {
    dynamic_array<best_from> here{blocks + 1};
    const std::size_t last_end = blocks - (stages - 1 - stage);
    for (std::size_t first = stage; first <= last_begin[stage]; ++first) {
      best_from& best = here[first];
      for (std::size_t end = stage + 1 == stages ? blocks : first + 1; end <= last_end; ++end) {
        const std::size_t least = cost.least(stage, first, end);
        if (least >= bound || (best.any && product(least, least) >= best.squares)) break;
        if (!behind[end].any || (best.any && product(least, least) + behind[end].squares >= best.squares)) continue;
        const std::size_t found = cost.below(stage, first, end, bound);
        if (found == none) continue;
        const wide_sum squares = product(found, found) + behind[end].squares;
        if (best.any && squares >= best.squares) continue;
        best = {squares, true};
        ends[stage * (blocks + 1) + first] = end;
      }
    }
    behind = static_cast<dynamic_array<best_from>&&>(here);
  }
  dynamic_array<std::size_t> begins{stages + 1, 0};
  for (std::size_t stage = 0; stage < stages; ++stage) begins[stage + 1] = ends[stage * (blocks + 1) + begins[stage]];
  return begins;
}

}  // namespace ipuflow::plan::impl
