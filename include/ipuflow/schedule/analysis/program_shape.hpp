// SPDX-License-Identifier: BSL-1.0
// The shape of a schedule in time: how long it warms up, between which steps every IPU is busy, and the loop that its
// program comes down to: ramp-up, a body that repeats, ramp-down. The length of these is what the device's code costs.
#pragma once

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/forms/program.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <cstddef>
#include <initializer_list>

namespace ipuflow::schedule {

/// The number of forwards that each IPU runs before its first backward; all of them in inference.
template <timetable T>
[[nodiscard]] constexpr counts warm_up(const T& t) {
  counts found;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    found.push_back(0);
    for (auto w = t.walk(ipu); w && !is_backward(w->kind); ++w) found[ipu] += w->kind == pass::forward ? 1u : 0u;
  }
  return found;
}

/// By arithmetic for a closed form: the forwards before the step of the first backward, which comes first in its own step.
template <class Where>
[[nodiscard]] constexpr counts warm_up(const modular<Where>& t) {
  counts found;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    step_number first = nowhere >> 1;
    t.for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t) {
      const step_number at = impl::stream_of(p, l, kind, stage, t.span, 0).step(t.where);
      if (is_backward(kind) && at < first) first = at;
    });
    found.push_back(0);
    t.for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t) {
      if (kind == pass::forward) found[ipu] += impl::run_before(t.where, p, l.base(stage, t.span), l, first);
    });
  }
  return found;
}

/// The first and the last step at which every IPU does as much as it ever does in one; `nowhere` if there is none.
struct steady {
  std::size_t first = nowhere;  ///< step
  std::size_t last = nowhere;   ///< step

  friend constexpr bool operator==(const steady&, const steady&) = default;
};

[[nodiscard]] constexpr steady steady_state(const table& t) {
  const std::size_t steps = t.steps();
  dynamic_array<std::size_t> busy{steps};  // IPUs that do all they can at a step
  for (const dynamic_array<placed>& row : t.rows) {
    std::size_t most = 0;
    for (const bool marks : {false, true}) {
      for (std::size_t i = 0, begin = 0; i < row.size(); begin = i) {
        while (i < row.size() && row[i].step == row[begin].step) ++i;
        if (!marks && i - begin > most) most = t.goes == pace::freely ? 1 : i - begin;
        if (marks && i - begin >= most) ++busy[row[begin].step];
      }
    }
  }
  steady found;
  for (std::size_t step = 0; step < steps; ++step) {
    if (busy[step] != t.rows.size()) continue;
    if (found.first == nowhere) found.first = step;
    found.last = step;
  }
  return found;
}

/// The steady state as a picture shows it: from when every IPU has begun its backwards (in inference, has begun) until
/// the first of them has no forward left.
[[nodiscard]] constexpr steady drawn_steady_state(const table& t) {
  if (t.goes == pace::in_step) return steady_state(t);
  steady found{0, nowhere};
  for (const dynamic_array<placed>& row : t.rows) {
    std::size_t begin = nowhere;
    std::size_t last = 0;
    for (const placed& o : row) {
      if (begin == nowhere && (is_backward(o.kind) || t.run_for == mode::inference)) begin = o.step;
      if (o.kind == pass::forward) last = o.step;
    }
    if (begin > found.first) found.first = begin;
    if (last < found.last) found.last = last;
  }
  return found.first <= found.last ? found : steady{};
}

/// By arithmetic: only the ramps are looked at.
template <class Where>
[[nodiscard]] constexpr steady steady_state(const modular<Where>& t) {
  dynamic_array<std::size_t> most{t.where.ipus};
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    t.for_each_line(ipu, [&](const part& p, const line&, pass, std::size_t, std::size_t) {
      most[ipu] = t.alone ? 1 : most[ipu] + (&p == &t.parts[0] ? 1u : 0u);
    });
  }
  const auto full = [&](std::size_t step) {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      if (t.ops(ipu, step).size() < most[ipu]) return false;
    }
    return true;
  };
  steady found;
  const std::size_t steps = t.steps();
  for (std::size_t step = 0; step < steps && found.first == nowhere; ++step) found.first = full(step) ? step : nowhere;
  for (std::size_t step = steps; found.first != nowhere && found.last == nowhere;)
    found.last = full(--step) ? step : nowhere;
  return found;
}

/// The operations of an IPU as straight code, a loop, and straight code. An IPU that is not there has none.
struct loop {
  std::size_t ramp_up = 0;
  std::size_t body = 0;
  std::size_t repeats = 0;
  std::size_t ramp_down = 0;

  friend constexpr bool operator==(const loop&, const loop&) = default;
  /// The operations that stand in the program.
  constexpr std::size_t code() const { return ramp_up + (repeats > 0 ? body : 0) + ramp_down; }
};

/// The loop of an IPU starts with the round in which the last of its passes begins, and ends with the last round in which
/// all of them still run.
template <class Where>
[[nodiscard]] constexpr loop loop_of(const modular<Where>& t, std::size_t ipu) {
  loop found;
  if (ipu >= t.where.ipus) return found;
  step_number every = 0;
  step_number latest = 0;
  bool even = true;
  t.for_each_line(ipu, [&](const part& p, const line& l, pass, std::size_t stage, std::size_t) {
    even = even && (every == 0 || every == l.per_group) && l.per_group > 0;
    every = l.per_group;
    const step_number start = l.base(stage, t.span) + l.per_member * number(t.where.delay(p.group - 1));
    if (start > latest) latest = start;
    found.body += p.group;
  });
  const std::size_t total = t.count(ipu);
  if (!even || every == 0) return {total, 0, 0, 0};
  const step_number begin = latest < every ? 0 : latest - every + 1;
  found.repeats = nowhere;
  t.for_each_line(ipu, [&](const part& p, const line& l, pass, std::size_t stage, std::size_t) {
    for (std::size_t member = 0; member < p.group; ++member) {
      const step_number base = l.base(stage, t.span) + l.per_member * number(t.where.delay(member));
      const std::size_t rounds = (p.micro_batches + p.group - 1 - member) / p.group;
      const auto before = begin <= base ? 0 : static_cast<std::size_t>((begin - base + every - 1) / every);
      const std::size_t inside = rounds > before ? rounds - before : 0;
      if (inside < found.repeats) found.repeats = inside;
      found.ramp_up += before < rounds ? before : rounds;
    }
  });
  if (found.repeats == 0) return {total, 0, 0, 0};
  found.ramp_down = total - found.ramp_up - found.body * found.repeats;
  return found;
}

/// The longest phase of a program is its loop, unless some of its operations are left out.
[[nodiscard]] constexpr loop loop_of(const program& t, std::size_t ipu) {
  if (ipu >= t.where.ipus) return {};
  const phase_list phases = t.phases(t.where, ipu);
  if (phases.empty()) return {};
  std::size_t longest = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].times * phases[i].beats.size() > phases[longest].times * phases[longest].beats.size()) longest = i;
  }
  loop found{.body = phases[longest].beats.size(), .repeats = phases[longest].times};
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (i < longest) found.ramp_up += phases[i].times * phases[i].beats.size();
    if (i > longest) found.ramp_down += phases[i].times * phases[i].beats.size();
  }
  const std::size_t total = t.count(ipu);
  return found.ramp_up + found.body * found.repeats + found.ramp_down == total ? found : loop{total, 0, 0, 0};
}

/// The steps of the program that all devices run together, as the vendor's compiler lays it out: a ramp of one step for
/// each slot, whole rounds of all overlapped copies, and a ramp again. A step at the end may be empty.
struct step_program {
  std::size_t ramp_up = 0;
  std::size_t repeat = 0;  ///< steps of one round; the grouped schedule compresses it to one step of code
  std::size_t repeats = 0;
  std::size_t ramp_down = 0;

  friend constexpr bool operator==(const step_program&, const step_program&) = default;
  constexpr std::size_t steps() const { return ramp_up + repeat * repeats + ramp_down; }
};

template <class Where>
[[nodiscard]] constexpr step_program program_of(const modular<Where>& t) {
  if (t.refused) return {};
  const part& p = t.parts[0];
  const std::size_t slots = t.run_for == mode::training ? 2 * t.where.stages : t.where.stages;
  const std::size_t overlap = slots * p.group / static_cast<std::size_t>(p[pass::forward].per_group);
  const std::size_t rounds = t.where.micro_batches / overlap;
  if (p[pass::infeed].runs == who::none) return {slots, slots, rounds == 0 ? 0 : rounds - 1, slots};
  return {slots + 2, 1, t.where.micro_batches - overlap - 2, slots + 2};
}

}  // namespace ipuflow::schedule
