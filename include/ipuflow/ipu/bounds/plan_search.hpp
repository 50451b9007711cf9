// SPDX-License-Identifier: BSL-1.0
// The search of a planner in few steps: plans stand in rows, in which lower bounds of time rise, and only those are worked out
// whose bounds leave them a chance. It finds the plan that is taken, whatever the order of the planner's own search.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/bounds/operation_bound.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::ipu::impl {

/// Plans of a cut that are alike but for the samples of a tile: few first, up to `end` of the ways to cut the batch.
struct plan_row {
  std::size_t least = 0;  // of the first of them, and so of all, in cycles
  std::size_t cut = 0, rows = 0, first = 0, end = 0;
};

/// The search in `Space`, which has `cuts()`, of each the `least_of(cut)` cycles, and its rows, `each_row(cut, visit)`. Plan
/// `i` of a row takes `least(row, i)` cycles and `more(row, i)`, and `held(row, i)` bytes, all three at least; it has
/// `pieces(row, i)`, and is `plan_of(row, i)`. A planner passes over a plan if it knows one that takes no more than
/// `passed_over(plan)` cycles. A tile takes `bound_of(plan)`.
template <class Space>
class plan_search {
 public:
  using plan = typename Space::plan;

  constexpr plan_search(const Space& space, bytes memory) : space_{space}, memory_{memory} {
    dynamic_array<std::size_t> least{space_.cuts()};
    for (std::size_t c = 0; c < least.size(); ++c) least[c] = space_.least_of(c);
    const auto first = static_cast<std::size_t>(algorithms::min_element(least.begin(), least.end()) - least.begin());
    add_rows(first);
    for (std::size_t c = 0; c < least.size(); ++c) {
      if (c != first && least[c] <= limit_) add_rows(c);
    }
  }

  /// The most of all plans that may be taken; nearly always there is one.
  [[nodiscard]] constexpr operation_bound taken() {
    find_fastest();
    if (fastest_.temporary > memory_) return smallest();
    find_taken();
    operation_bound most;
    for (const plan& p : may_be_taken_) {
      if (!is_before(taken_, p)) most = raised(most, p);
    }
    return most;
  }

 private:
  constexpr operation_bound raised(const operation_bound& most, const plan& p) const {
    const operation_bound mine = space_.bound_of(p);
    return {algorithms::max(most.temporary, mine.temporary), algorithms::max(most.pieces, mine.pieces),
            algorithms::max(most.sums, mine.sums)};
  }

  /// Those that may be of use. Whichever promises most is tried at once.
  constexpr void add_rows(std::size_t cut) {
    space_.each_row(cut, [&](const plan_row& row) {
      if (row.least > limit_) return;
      rows_.push_back(row);
      if (row.least >= promised_ || space_.held(row, row.first) > memory_.value) return;
      promised_ = row.least;
      find(space_.plan_of(row, row.first));
    });
  }
  /// The limit falls with each plan that fits: a planner takes none that is much slower, since it tries this one or knows a
  /// faster one.
  constexpr void find(const plan& p) {
    if (p.temporary > memory_) return;
    if (p.estimate < fastest_.estimate) fastest_ = p;
    const cycles known{algorithms::max(p.estimate.value, space_.passed_over(p))};
    limit_ = algorithms::min<std::size_t>(limit_, slowest_taken(known).value);
  }

  constexpr void find_fastest() {
    for (const plan_row& row : rows_) {
      for (std::size_t i = row.first; i < row.end && least(row, i) < fastest_.estimate.value; ++i) {
        if (space_.held(row, i) > memory_.value) break;
        if (least(row, i) + space_.more(row, i) < fastest_.estimate.value) find(space_.plan_of(row, i));
      }
    }
  }

  /// Of plans that are not much slower, the planner takes one with the fewest pieces, if it tries it.
  constexpr void find_taken() {
    const cycles slowest = slowest_taken(fastest_.estimate);
    for (const plan_row& row : rows_) {
      for (std::size_t i = row.first; i < row.end && least(row, i) <= limit_; ++i) {
        if (space_.pieces(row, i) > taken_.pieces) continue;
        if (space_.held(row, i) > memory_.value) break;
        if (least(row, i) + space_.more(row, i) > limit_) continue;
        const plan p = space_.plan_of(row, i);
        if (p.temporary > memory_ || p.estimate.value > limit_) continue;
        may_be_taken_.push_back(p);
        if (p.estimate <= slowest && space_.passed_over(p) < fastest_.estimate.value && is_before(p, taken_)) taken_ = p;
      }
    }
  }

  /// The most of the plans that need least, where none fits.
  [[nodiscard]] constexpr operation_bound smallest() const {
    operation_bound most;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const plan_row& row : rows_) {
      for (std::size_t i = row.first; i < row.end && space_.held(row, i) <= least; ++i) {
        const plan p = space_.plan_of(row, i);
        if (p.temporary.value > least) continue;
        if (p.temporary.value < least) least = p.temporary.value, most = {};
        most = raised(most, p);
      }
    }
    return most;
  }

  constexpr std::size_t least(const plan_row& row, std::size_t i) const {
    return i == row.first ? row.least : space_.least(row, i);
  }
  static constexpr bool is_before(const plan& a, const plan& b) {
    return a.pieces != b.pieces ? a.pieces < b.pieces : a.estimate < b.estimate;
  }
  static constexpr plan last() {
    plan made;
    made.pieces = static_cast<std::size_t>(-1);
    return made;
  }

  const Space& space_;
  bytes memory_;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max(), promised_ = limit_;  // cycles
  dynamic_array<plan_row> rows_{};
  plan fastest_{}, taken_ = last();
  dynamic_array<plan> may_be_taken_{};
};

}  // namespace ipuflow::ipu::impl
