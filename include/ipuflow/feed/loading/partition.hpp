// SPDX-License-Identifier: BSL-1.0
// The part of a pass that this process loads. Processes take their steps in turn: round r of P processes with s samples a step is
// samples r P s to (r + 1) P s of the pass, s for each process. So what is loaded when depends on the number of samples that all
// processes have taken, and any number of them goes on where others stopped. All in closed form.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/interval.hpp>
#include <ipuflow/feed/loader_options.hpp>

#include <cstddef>

namespace ipuflow::feed::impl {

/// A pass over `samples` positions, in steps.
struct partition {
  std::size_t samples = 0;
  std::size_t step = 1;
  tail last = tail::dropped;
  std::size_t process = 0;
  std::size_t processes = 1;
  std::size_t first = 0;    // position of the pass; those before it were taken by processes that went before
  std::size_t rounds = 0;   // in which each process has a whole step
  interval rest{};          // of this process, behind them
  std::size_t dropped = 0;  // positions that no process loads

  friend constexpr bool operator==(const partition&, const partition&) = default;

  /// Of this process.
  constexpr std::size_t steps() const { return rounds + (rest.count > 0 ? 1u : 0u); }
  constexpr std::size_t longest_step() const { return rounds > 0 ? step : rest.count; }
  /// The positions of one step.
  constexpr interval at(std::size_t index) const { return index < rounds ? interval{first + (index * processes + process) * step, step} : rest; }
  /// Positions from the beginning of the pass that have been taken when each process has taken that number of steps.
  constexpr std::size_t taken(std::size_t steps) const { return steps <= rounds ? first + steps * processes * step : samples; }

  /// The same pass behind its first `gone` positions.
  constexpr partition behind(std::size_t gone) const {
    partition made{samples, step, last, process, processes, algorithms::min(gone, samples)};
    const std::size_t left = samples - made.first;
    made.rounds = left / step / processes;
    const std::size_t over = left - made.rounds * processes * step;
    if (last == tail::dropped) {
      made.dropped = over;
    } else {  // as evenly as may be: of few positions the last processes have none
      const interval share = share_of(over, process, processes);
      made.rest = {samples - over + share.first, share.count};
    }
    return made;
  }
};

constexpr partition partition_of(std::size_t samples, std::size_t step, const loader_options& o) {
  return partition{samples, step, o.last, o.process, o.processes}.behind(0);
}

/// The same; throws if there are no samples, or too few for a step that must be whole.
constexpr partition checked_partition(std::size_t samples, std::size_t step, const loader_options& o) {
  if (samples == 0) throw_if(dataset_fault{dataset_wrong::empty, samples, 1});
  const partition plan = partition_of(samples, step, o);
  if (plan.steps() == 0 && o.last == tail::kept) throw_if(loader_fault{loader_wrong::nothing_left, o.process, samples});
  if (plan.steps() == 0) {
    constexpr std::size_t most = static_cast<std::size_t>(-1);
    throw_if(batching_fault{batching_wrong::no_whole_step, step > most / o.processes ? most : step * o.processes, samples});
  }
  return plan;
}

}  // namespace ipuflow::feed::impl
