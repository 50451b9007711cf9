// SPDX-License-Identifier: BSL-1.0
// How much a schedule keeps: the depth of the FIFO between the two passes of each stage, and the values that are alive. A
// FIFO holds a value while later forwards of its stage run; what is in flight counts the newest forward too. Closed forms
// are counted at the ends of their parts, everything else by walking it.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/schedule/modular.hpp>
#include <ipuflow/schedule/setup.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// What ends the life of a forward's result.
enum class until : unsigned char {
  last_use,         ///< the whole backward, or the gradient for weights where the backward is split
  backward_inputs,  ///< the backward that the stage before waits for
  recompute         ///< the recomputation of the forward: what is kept is its inputs only
};

/// One count for each stage, or for each IPU.
using counts = bounded_vector<std::size_t, most_stages>;

constexpr bool ends(until life, pass kind) {
  switch (life) {
    case until::last_use: return kind == pass::backward || kind == pass::backward_weights;
    case until::backward_inputs: return is_backward(kind);
    default: return kind == pass::recompute;
  }
}

namespace detail {

constexpr void raise(std::size_t& most, std::size_t value) {
  if (value > most) most = value;
}

/// The line that ends lives, or the one that does where nothing is recomputed.
constexpr const line& ending_line(const part& p, until life) {
  if (life == until::recompute && p[pass::recompute].runs != who::nobody) return p[pass::recompute];
  if (p[pass::backward].runs != who::nobody) return p[pass::backward];
  return life == until::last_use ? p[pass::backward_weights] : p[pass::backward_inputs];
}

/// How many micro-batches of a part a line has run before a step.
template <class Where>
constexpr std::size_t run_before(const Where& where, const part& p, step_number base, const line& l, step_number step) {
  if (l.per_group < 0) {
    const step_number kept = (base - step) / -l.per_group + 1;  // those not before it
    if (base < step) return p.micro_batches;
    return static_cast<std::size_t>(kept) >= p.micro_batches ? 0 : p.micro_batches - static_cast<std::size_t>(kept);
  }
  if (step <= base) return 0;
  const step_number groups = (step - base - 1) / l.per_group;
  const step_number rest = step - base - groups * l.per_group;
  std::size_t members = 0;
  while (members < p.group && l.per_member * static_cast<step_number>(where.delay(members)) < rest) ++members;
  const std::size_t total = static_cast<std::size_t>(groups) * p.group + members;
  return total < p.micro_batches ? total : p.micro_batches;
}

/// What a closed form keeps, counted where it keeps most: at the ends of its parts, because distances are linear between.
template <class Where>
class closed_counts {
 public:
  constexpr closed_counts(const modular<Where>& t, until life) : t_{t}, life_{life} {}

  /// Forwards of a stage, over all its parts, that have run before a step.
  constexpr std::size_t started(std::size_t stage, step_number step) const { return total(stage, step, false); }
  /// Lives of a stage that have ended before a step.
  constexpr std::size_t ended(std::size_t stage, step_number step) const { return total(stage, step, true); }

  constexpr bool lasts(std::size_t stage) const { return ending_line(t_.parts[0], life_).has(stage, t_.where.stages); }

  /// Calls `visit(step)` for the forwards of a stage in the groups around a step.
  template <class Visit>
  constexpr void forwards_near(std::size_t stage, step_number step, Visit visit) const {
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const part& p = t_.parts[i];
      if (p.micro_batches == 0) continue;
      const line& l = p[pass::forward];
      const std::size_t group = run_before(t_.where, p, l.base(stage, t_.span), l, step) / p.group;
      const std::size_t end = (group + 2) * p.group;
      for (std::size_t m = group == 0 ? 0 : (group - 1) * p.group; m < end && m < p.micro_batches; ++m) {
        visit(at(p, l, stage, m));
      }
    }
  }

  /// Calls `visit(step of the forward, step of its end)` for the micro-batches at the ends of the parts.
  template <class Visit>
  constexpr void at_ends(std::size_t stage, Visit visit) const {
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const part& p = t_.parts[i];
      const std::size_t groups = p.groups();
      for (std::size_t group = 0; group < groups; ++group) {
        if (group == 2 && groups > 4) group = groups - 2;
        for (std::size_t m = group * p.group; m < p.micro_batches && m < (group + 1) * p.group; ++m) {
          visit(at(p, p[pass::forward], stage, m), at(p, ending_line(p, life_), stage, m));
        }
      }
    }
  }

 private:
  constexpr step_number at(const part& p, const line& l, std::size_t stage, std::size_t m) const {
    return l.base(stage, t_.span) + l.per_group * static_cast<step_number>(m / p.group) +
           l.per_member * static_cast<step_number>(t_.where.delay(m % p.group));
  }
  constexpr std::size_t total(std::size_t stage, step_number step, bool end) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const line& l = end ? ending_line(t_.parts[i], life_) : t_.parts[i][pass::forward];
      if (t_.parts[i].micro_batches > 0) sum += run_before(t_.where, t_.parts[i], l.base(stage, t_.span), l, step);
    }
    return sum;
  }

  const modular<Where>& t_;
  until life_;
};

}  // namespace detail

/// What the walk of one IPU has alive: how many forwards each stage has started and how many lives have ended.
struct lives {
  std::size_t started = 0;
  std::size_t ended = 0;
};

/// The depth of each stage's FIFO: how many later forwards of the stage run while one of its values is kept.
template <timetable T>
constexpr counts fifo_depths(const T& t, until life = until::last_use) {
  counts depths;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) depths.push_back(0);
  if (t.run_for == mode::inference) return depths;
  scratch<std::size_t> after{t.where.stages * t.where.micro_batches};
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    scratch<std::size_t> started{t.where.stages};
    for (auto w = t.walk(ipu); w; ++w) {
      std::size_t& seen = after[w->stage * t.where.micro_batches + w->micro_batch];
      if (w->kind == pass::forward) seen = ++started[w->stage];
      if (ends(life, w->kind)) detail::raise(depths[w->stage], started[w->stage] - seen);
    }
  }
  return depths;
}

/// The most values of each stage that are alive at once on one IPU, the newest forward included.
template <timetable T>
constexpr counts in_flight(const T& t, until life = until::last_use) {
  counts most;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) most.push_back(t.run_for == mode::inference ? 1u : 0u);
  if (t.run_for == mode::inference) return most;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    scratch<lives> alive{t.where.stages};
    for (auto w = t.walk(ipu); w; ++w) {
      lives& l = alive[w->stage];
      if (w->kind == pass::forward) ++l.started;
      detail::raise(most[w->stage], l.started - l.ended);
      if (ends(life, w->kind)) ++l.ended;
    }
  }
  return most;
}

/// The most values that are alive at once on each IPU, over all its stages.
template <timetable T>
constexpr counts peak(const T& t, until life = until::last_use) {
  counts most;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::size_t alive = 0;
    most.push_back(t.run_for == mode::inference ? 1u : 0u);
    for (auto w = t.walk(ipu); w && t.run_for == mode::training; ++w) {
      if (w->kind == pass::forward) ++alive;
      detail::raise(most[ipu], alive);
      if (ends(life, w->kind)) --alive;
    }
  }
  return most;
}

/// The same for closed forms, at a cost that does not grow with the micro-batches.
template <class Where>
constexpr counts fifo_depths(const modular<Where>& t, until life = until::last_use) {
  const detail::closed_counts<Where> c{t, life};
  counts depths;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    depths.push_back(0);
    if (t.refused || t.run_for == mode::inference || !c.lasts(stage)) continue;
    // Recomputation comes behind the forward of its step, everything else before it.
    const step_number same = life == until::recompute && t.parts[0][pass::recompute].runs != who::nobody ? 1 : 0;
    c.at_ends(stage, [&](step_number made, step_number end) {
      detail::raise(depths[stage], c.started(stage, end + same) - c.started(stage, made + 1));
    });
  }
  return depths;
}

template <class Where>
constexpr counts in_flight(const modular<Where>& t, until life = until::last_use) {
  const detail::closed_counts<Where> c{t, life};
  counts most;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    most.push_back(t.run_for == mode::inference && !t.refused ? 1u : 0u);
    if (t.refused || t.run_for == mode::inference || !c.lasts(stage)) continue;
    const step_number same = life == until::recompute && t.parts[0][pass::recompute].runs != who::nobody ? 0 : 1;
    c.at_ends(stage, [&](step_number made, step_number) {
      detail::raise(most[stage], c.started(stage, made + 1) - c.ended(stage, made + same));
    });
  }
  return most;
}

template <class Where>
constexpr counts peak(const modular<Where>& t, until life = until::last_use) {
  const detail::closed_counts<Where> c{t, life};
  counts most;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    most.push_back(t.run_for == mode::inference && !t.refused ? 1u : 0u);
    if (t.refused || t.run_for == mode::inference) continue;
    const auto alive_at = [&](step_number made) {
      std::size_t alive = 0;
      for (std::size_t chunk = 0; chunk < t.where.chunks(ipu); ++chunk) {
        const std::size_t stage = t.where.stage_of(ipu, chunk);
        alive += c.started(stage, made + 1) - (c.lasts(stage) ? c.ended(stage, made + 1) : 0);
      }
      detail::raise(most[ipu], alive);
    };
    // Between the starts and ends of its passes what an IPU keeps is linear, so it is most near one of those.
    for (std::size_t chunk = 0; chunk < t.where.chunks(ipu); ++chunk) {
      c.at_ends(t.where.stage_of(ipu, chunk), [&](step_number made, step_number end) {
        for (std::size_t other = 0; other < t.where.chunks(ipu); ++other) {
          c.forwards_near(t.where.stage_of(ipu, other), made, alive_at);
          c.forwards_near(t.where.stage_of(ipu, other), end, alive_at);
        }
      });
    }
  }
  return most;
}

}  // namespace ipuflow::schedule
