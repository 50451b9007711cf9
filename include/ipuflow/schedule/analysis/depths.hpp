// SPDX-License-Identifier: BSL-1.0
// Memory of a schedule: the depth of the FIFO between the two passes of each stage, and the values in flight. A FIFO
// holds a value while later forwards of its stage run; the values in flight include that of the newest forward.
// Modular timetables are counted by closed forms, all others by walking: programs over as few micro-batches as show all.
#pragma once

#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/schedule/analysis/closed_counts.hpp>
#include <ipuflow/schedule/analysis/shortened.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace impl {

/// The values that the walk of one IPU has alive: the forwards that each stage has started and the lives that have ended.
struct life_count {
  std::size_t started = 0;
  std::size_t ended = 0;
  bool recomputed = false;

  /// True if an operation of the stage ends a life. A value that is not recomputed lives up to its last use.
  constexpr bool end(until life, pass kind) {
    recomputed = recomputed || kind == pass::recompute;
    return ends(life == until::recompute && !recomputed ? until::last_use : life, kind);
  }
};

}  // namespace impl

/// The depth of each stage's FIFO: how many later forwards of the stage run while one of its values is kept.
template <timetable T>
[[nodiscard]] constexpr counts fifo_depths(const T& timetable, until life = until::last_use) {
  const auto& t = impl::to_count(timetable);
  counts depths;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) depths.push_back(0);
  if (t.run_for == mode::inference) return depths;
  dynamic_array<std::size_t> after{t.where.stages * t.where.micro_batches};
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    dynamic_array<impl::life_count> of{t.where.stages};
    for (auto w = t.walk(ipu); w; ++w) {
      impl::life_count& l = of[w->stage];
      std::size_t& seen = after[w->stage * t.where.micro_batches + w->micro_batch];
      if (w->kind == pass::forward) seen = ++l.started;
      if (l.end(life, w->kind)) impl::raise_to(depths[w->stage], l.started - seen);
    }
  }
  return depths;
}

/// The most values of each stage that are alive at once on one IPU, the newest forward included.
template <timetable T>
[[nodiscard]] constexpr counts in_flight(const T& timetable, until life = until::last_use) {
  const auto& t = impl::to_count(timetable);
  counts most;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) most.push_back(t.run_for == mode::inference ? 1u : 0u);
  if (t.run_for == mode::inference) return most;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    dynamic_array<impl::life_count> alive{t.where.stages};
    for (auto w = t.walk(ipu); w; ++w) {
      impl::life_count& l = alive[w->stage];
      if (w->kind == pass::forward) ++l.started;
      impl::raise_to(most[w->stage], l.started - l.ended);
      if (l.end(life, w->kind)) ++l.ended;
    }
  }
  return most;
}

/// The most values that are alive at once on each IPU, over all its stages.
template <timetable T>
[[nodiscard]] constexpr counts peak(const T& timetable, until life = until::last_use) {
  const auto& t = impl::to_count(timetable);
  counts most;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::size_t alive = 0;
    dynamic_array<impl::life_count> of{t.where.stages};
    most.push_back(t.run_for == mode::inference ? 1u : 0u);
    for (auto w = t.walk(ipu); w && t.run_for == mode::training; ++w) {
      if (w->kind == pass::forward) ++alive;
      impl::raise_to(most[ipu], alive);
      if (of[w->stage].end(life, w->kind)) --alive;
    }
  }
  return most;
}

/// A pass of a stage, as one end of a FIFO.
struct fifo_end {
  pass kind = pass::forward;
  std::size_t stage = 0;
};

/// The depth of a FIFO from one pass to any later one: how many later micro-batches the first one has run when the
/// second reads. It serves a value that is only handed through the stages between. Throws unless the timetable has both passes and the
/// second one runs later.
template <class Where>
[[nodiscard]] constexpr std::size_t fifo_depth(const modular<Where>& t, fifo_end from, fifo_end to) {
  if (t.refused) return 0;
  const auto reject = [](schedule_wrong kind, std::size_t limit, fifo_end at) {
    throw_if(schedule_fault{kind, at.stage, limit, {.stage = at.stage, .kind = at.kind}});
  };
  for (const fifo_end& at : {from, to}) {
    if (at.stage >= t.where.stages) reject(schedule_wrong::stage_out_of_range, t.where.stages, at);
    if (!t.parts[0][at.kind].has(at.stage, t.where.stages)) reject(schedule_wrong::no_fifo, 0, at);
  }
  std::size_t most = 0;
  const bool first_in_step = impl::rank_in_step(from.kind, from.stage) < impl::rank_in_step(to.kind, to.stage);
  for (std::size_t i = 0; i < t.part_count; ++i) {
    const part& p = t.parts[i];
    const line& made = p[from.kind];
    const auto run = [&](step_number step) {
      return impl::run_before(t.where, p, made.base(from.stage, t.span), made, step);
    };
    for (std::size_t m = p.first; m < p.first + p.micro_batches && m < p.first + p.group; ++m) {
      const auto read = number(t.step_of({to.kind, to.stage, m}));
      const auto written = number(t.step_of({from.kind, from.stage, m}));
      if (read < written + (first_in_step ? 0 : 1)) reject(schedule_wrong::no_fifo, 0, to);
      impl::raise_to(most, run(read + (first_in_step ? 1 : 0)) - run(written + 1));
    }
  }
  return most;
}

/// The first fault of FIFOs of these depths, one for each stage: each has to hold what the schedule keeps.
template <timetable T, class Depths>
constexpr schedule_fault verify_fifos(const T& t, const Depths& declared, until life = until::last_use) {
  const counts needed = fifo_depths(t, life);
  for (std::size_t stage = 0; stage < needed.size(); ++stage) {
    const std::size_t depth = stage < declared.size() ? declared[stage] : 0;
    if (needed[stage] > depth) return {schedule_wrong::fifo_too_shallow, needed[stage], depth, {.stage = stage}};
  }
  return {};
}

namespace impl {

/// Recomputation comes behind the forward of its step, every other end of a life before it.
template <class Where>
constexpr bool ends_behind_forward(const modular<Where>& t, std::size_t stage, until life) {
  return life == until::recompute && recomputes(t, stage);
}

}  // namespace impl

/// The same for closed forms, at a cost that does not grow with the micro-batches.
template <class Where>
[[nodiscard]] constexpr counts fifo_depths(const modular<Where>& t, until life = until::last_use) {
  const impl::closed_counts<Where> c{t, life};
  counts depths;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    depths.push_back(0);
    if (t.refused || t.run_for == mode::inference || !c.lasts(stage)) continue;
    const step_number same = impl::ends_behind_forward(t, stage, life) ? 1 : 0;
    c.at_ends(stage, [&](step_number made, step_number end) {
      impl::raise_to(depths[stage], c.started(stage, end + same) - c.started(stage, made + 1));
    });
  }
  return depths;
}

template <class Where>
[[nodiscard]] constexpr counts in_flight(const modular<Where>& t, until life = until::last_use) {
  const impl::closed_counts<Where> c{t, life};
  counts most;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    most.push_back(t.run_for == mode::inference && !t.refused ? 1u : 0u);
    if (t.refused || t.run_for == mode::inference || !c.lasts(stage)) continue;
    const step_number same = impl::ends_behind_forward(t, stage, life) ? 0 : 1;
    c.at_ends(stage, [&](step_number made, step_number) {
      impl::raise_to(most[stage], c.started(stage, made + 1) - c.ended(stage, made + same));
    });
  }
  return most;
}

template <class Where>
[[nodiscard]] constexpr counts peak(const modular<Where>& t, until life = until::last_use) {
  const impl::closed_counts<Where> c{t, life};
  counts most;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    most.push_back(t.run_for == mode::inference && !t.refused ? 1u : 0u);
    if (t.refused || t.run_for == mode::inference) continue;
    const auto alive_at = [&](step_number made) {
      std::size_t alive = 0;
      for (std::size_t chunk = 0; chunk < t.where.chunks(ipu); ++chunk) {
        const std::size_t stage = t.where.stage_of(ipu, chunk);
        const step_number same = impl::ends_behind_forward(t, stage, life) ? 0 : 1;
        alive += c.started(stage, made + 1) - (c.lasts(stage) ? c.ended(stage, made + same) : 0);
      }
      impl::raise_to(most[ipu], alive);
    };
    // Between the starts and ends of its passes what an IPU keeps is linear, so it is most near one of those.
    for (std::size_t other = 0; other < t.where.chunks(ipu); ++other) {
      dynamic_array<std::size_t> seen;
      for (std::size_t chunk = 0; chunk < t.where.chunks(ipu); ++chunk) {
        c.at_edges(t.where.stage_of(ipu, chunk), [&](step_number edge) {
          c.forwards_near(ipu, t.where.stage_of(ipu, other), edge, seen, alive_at);
        });
      }
    }
  }
  return most;
}

}  // namespace ipuflow::schedule
