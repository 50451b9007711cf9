// SPDX-License-Identifier: BSL-1.0
// The part of an epoch that this process loads, its number of steps, and the number of samples that are dropped. With
// whole steps only, every process gets the same number, side by side; otherwise shares differ by one sample at most.
// All in closed form.
#pragma once

#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/interval.hpp>
#include <ipuflow/feed/loader_options.hpp>

#include <algorithm>
#include <cstddef>

namespace ipuflow::feed::impl {

/// A pass over `samples` positions in steps.
struct partition {
  interval mine{};          // positions of this process
  std::size_t step = 1;     // samples in a step
  std::size_t steps = 0;    // of this process
  std::size_t dropped = 0;  // positions that no process loads

  friend constexpr bool operator==(const partition&, const partition&) = default;

  /// The positions of one step.
  constexpr interval at(std::size_t index) const {
    const std::size_t first = index * step;
    return {mine.first + first, std::min(step, mine.count - first)};
  }
  /// The rest of the pass behind the first samples of it.
  constexpr partition behind(std::size_t samples, tail last) const {
    const std::size_t gone = std::min(samples, mine.count);
    const interval left{mine.first + gone, mine.count - gone};
    return {left, step, steps_per_epoch(left.count, step, last), dropped};
  }
};

constexpr partition partition_of(std::size_t samples, std::size_t step, const loader_options& o) {
  if (o.last == tail::kept) {
    const interval mine = share_of(samples, o.process, o.processes);
    return {mine, step, steps_per_epoch(mine.count, step, tail::kept), 0};
  }
  const std::size_t steps = samples / o.processes / step;
  const std::size_t each = steps * step;
  return {{o.process * each, each}, step, steps, samples - each * o.processes};
}

/// The same; throws if there are no samples, or too few for a step that must be whole.
constexpr partition checked_partition(std::size_t samples, std::size_t step, const loader_options& o) {
  if (samples == 0) throw_if(dataset_fault{dataset_wrong::empty, samples, 1});
  const partition plan = partition_of(samples, step, o);
  if (plan.steps == 0) throw_if(batching_fault{batching_wrong::no_whole_step, step * o.processes, samples});
  return plan;
}

}  // namespace ipuflow::feed::impl
