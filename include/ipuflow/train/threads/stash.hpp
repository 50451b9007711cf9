// SPDX-License-Identifier: BSL-1.0
// The depth of the stash of a stage under a timetable: it is read off the timetable once, before a run, so that all memory is set
// aside at its verified size.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/traffic.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/schedule/forms/recomputation.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>
#include <ipuflow/train/threads/message_order.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// Of one stage, in one copy of the pipeline.
struct stash {
  std::size_t in_flight = 1;     ///< micro-batches between their forward and the last use of what it made
  std::size_t slopes = 1;        ///< of these, in their backward or between its two halves
  std::size_t recomputed = 0;    ///< of these, between recomputation and backward; 0: activations are kept instead
  std::size_t gradients_in = 1;  ///< gradients that wait for the stage
  std::size_t outgoing = 3;      ///< activations that wait for the next stage, where they are not kept
  bool within = false;           ///< activations are made again within the backward pass
};

/// Counts what is between two passes of each stage, as an IPU walks through its operations.
struct census {
  std::size_t alive = 0;
  std::size_t most = 0;

  void begin() { most = algorithms::max(most, ++alive); }
  void end() { --alive; }
};

/// The counts of values that a stage keeps, while its operations are gone through.
struct stage_census {
  census flights, split, recomputed;
  bool in_halves = false;

  void see(schedule::pass kind) {
    using enum schedule::pass;
    in_halves = in_halves || kind == backward_inputs;
    if (kind == forward) flights.begin();
    if (kind == recompute) recomputed.begin();
    if (kind == backward_inputs) split.begin();
    if (kind == backward_weights) split.end();
    if (kind == backward) split.most = algorithms::max(split.most, split.alive + 1);
    if (kind != backward && kind != backward_weights) return;
    flights.end();
    if (recomputed.alive > 0) recomputed.end();
  }
};

/// True if some IPU has branches of both stages.
template <class = void>
bool share_an_ipu(const schedule::any_timetable& t, std::size_t stage, std::size_t other) {
  for (std::size_t a = t.where.first_seat(stage); a < t.where.first_seat(stage + 1); ++a) {
    for (std::size_t b = t.where.first_seat(other); b < t.where.first_seat(other + 1); ++b) {
      if (t.where.ipu_of(a, 0) == t.where.ipu_of(b, 0)) return true;
    }
  }
  return false;
}

/// One entry a stage: the most that any IPU keeps of it; throws if rings between stages would mix micro-batches up. `again`: stages
/// that recompute within their backwards.
template <class = void>
[[gnu::cold]] dynamic_array<stash> stashes_of(const schedule::any_timetable& t, const schedule::stage_set& again = {}) {
  throw_if(verify_message_order(t));
  dynamic_array<stash> all(t.where.stages);
  const bool every = t.recompute == schedule::recomputation::and_backpropagate;
  for (std::size_t s = 0; s < all.size(); ++s) all[s].within = every || again.has(s);
  const auto waiting = schedule::receive_buffers(t);
  light_vector<std::size_t> ahead(t.where.stages);  // forwards of a stage before the next one's, where an IPU has both
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    dynamic_array<stage_census> seen(t.where.stages);
    light_vector<std::size_t> forwards(t.where.stages);
    for (auto w = t.walk(ipu); w; ++w) {
      seen[w->stage].see(w->kind);
      if (w->kind != schedule::pass::forward) continue;
      const std::size_t made = ++forwards[w->stage];
      const std::size_t next = w->stage + 1;
      if (next == all.size() || t.where.seat_of(ipu, next, w->micro_batch) == schedule::nowhere) continue;
      ahead[w->stage] = algorithms::max(ahead[w->stage], made - algorithms::min(made, forwards[next]));
    }
    for (std::size_t s = 0; s < seen.size(); ++s) {
      all[s].in_flight = algorithms::max(all[s].in_flight, seen[s].flights.most);
      all[s].slopes = algorithms::max(all[s].slopes, seen[s].split.most);
      all[s].recomputed = algorithms::max(all[s].recomputed, seen[s].recomputed.most);
      all[s].within = all[s].within && !seen[s].in_halves && seen[s].recomputed.most == 0;
    }
  }
  // A gradient that waits for a stage belongs to a micro-batch in flight there; between two IPUs fewer need to wait.
  for (std::size_t s = 0; s + 1 < all.size(); ++s) {
    const bool together = share_an_ipu(t, s, s + 1);
    all[s].gradients_in = together ? all[s].in_flight : algorithms::min(all[s].in_flight, waiting.backward[s] + 1);
    all[s].outgoing = algorithms::max(all[s].outgoing, (together ? ahead[s] : waiting.forward[s + 1]) + 2);
  }
  all.back().outgoing = 1;  // read at once
  if (t.run_for == mode::inference) {
    for (stash& s : all) s.in_flight = s.gradients_in = 1;
  }
  return all;
}

}  // namespace ipuflow::train::impl
