// SPDX-License-Identifier: BSL-1.0
// How much a stage has to keep under a timetable: read off the timetable once, before a run, so that all memory is set
// aside at its verified size.
#pragma once

#include <ipuflow/schedule/depths.hpp>
#include <ipuflow/schedule/timetable.hpp>
#include <ipuflow/schedule/traffic.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ipuflow::train {

/// Of one stage, in one copy of the pipeline.
struct stash {
  std::size_t in_flight = 1;     ///< micro-batches between their forward and the last use of what it made
  std::size_t slopes = 1;        ///< of these, in their backward or between its two halves
  std::size_t recomputed = 0;    ///< of these, between recomputation and backward; 0: activations are kept instead
  std::size_t gradients_in = 1;  ///< gradients that wait for the stage
};

/// Counts what is between two passes of each stage, as an IPU walks through its operations.
struct census {
  std::size_t alive = 0;
  std::size_t most = 0;

  void begin() { most = std::max(most, ++alive); }
  void end() { --alive; }
};

struct stage_census {
  census flights, split, recomputed;

  void see(schedule::pass kind) {
    using enum schedule::pass;
    if (kind == forward) flights.begin();
    if (kind == recompute) recomputed.begin();
    if (kind == backward_inputs) split.begin();
    if (kind == backward_weights) split.end();
    if (kind == backward) split.most = std::max(split.most, split.alive + 1);
    if (kind != backward && kind != backward_weights) return;
    flights.end();
    if (recomputed.alive > 0) recomputed.end();
  }
};

/// One entry a stage: the most that any IPU keeps of it.
template <schedule::timetable T>
std::vector<stash> stashes_of(const T& t) {
  std::vector<stash> all(t.where.stages);
  if (t.run_for == mode::inference) return all;
  const auto waiting = schedule::receive_buffers(t);
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::vector<stage_census> seen(t.where.stages);
    for (auto w = t.walk(ipu); w; ++w) seen[w->stage].see(w->kind);
    for (std::size_t s = 0; s < seen.size(); ++s) {
      all[s].in_flight = std::max(all[s].in_flight, seen[s].flights.most);
      all[s].slopes = std::max(all[s].slopes, seen[s].split.most);
      all[s].recomputed = std::max(all[s].recomputed, seen[s].recomputed.most);
    }
  }
  // A gradient that waits for a stage belongs to a micro-batch in flight there; between two IPUs fewer need to wait.
  for (std::size_t s = 0; s + 1 < all.size(); ++s) {
    const auto ipu = [&](std::size_t stage) { return t.where.ipu_of(t.where.first_seat(stage), 0); };
    all[s].gradients_in = ipu(s) == ipu(s + 1) ? all[s].in_flight : std::min(all[s].in_flight, waiting.backward[s] + 1);
  }
  return all;
}

}  // namespace ipuflow::train
