// SPDX-License-Identifier: BSL-1.0
// The steps at which the lines of a modular timetable run, and the stretches between those at which one starts or ends: there all periods
// are alike.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

inline constexpr step_number no_step = step_number{1} << 62;

/// The steps at which a pass of a stage runs, over the micro-batches of a part.
struct line_extent {
  step_number start = 0;
  step_number even_end = 0;   ///< until here each period has as many operations as any other
  step_number end = 0;        ///< one past the last step at which it may run
  step_number period = 1;     ///< of a group
  step_number apart = 0;      ///< of its members
  std::size_t group = 1;

  template <class Where>
  constexpr line_extent(const Where& where, const pass_stream& s)
      : start{s.step(where)}, even_end{start}, period{s.per_group}, apart{s.per_member}, group{s.group} {
    step_number latest = 0;  // of the members of a group
    bool evenly = true;
    for (std::size_t m = 0; m < group; ++m) {
      const step_number delay = apart * number(where.delay(m));
      if (delay > latest) latest = delay;
      evenly = evenly && where.delay(m) == m;
    }
    if (evenly && period == apart * number(group)) {
      period = apart;
      group = 1;
      latest = apart = 0;
    }
    if (period > 0 && apart >= 0 && latest < period) even_end += period * number(s.left / group);
    end = start + (period > 0 ? period : 0) * number((s.left - 1) / group) + latest + 1;
  }
  constexpr line_extent() = default;
};

/// The steps from one on until a line starts or ends.
struct even_stretch {
  step_number at = 0;
  step_number edge = no_step;  ///< the first step that is not of it
  step_number period = 0;      ///< of its rounds
  bool even = true;            ///< its rounds are alike

  /// One of the lines; `repeats` is false if its rounds are not alike for another reason.
  constexpr void add(const line_extent& e, bool repeats = true) {
    if (e.end <= at) return;
    const bool runs = e.start <= at;
    const bool evenly = at < e.even_end;
    const step_number changes = !runs ? e.start : evenly ? e.even_end : e.end;
    if (changes < edge) edge = changes;
    if (!runs) return;
    even = even && evenly && repeats && (period == 0 || period == e.period);
    if (e.period > period) period = e.period;
  }
  /// Behind all lines: where lines start and end all the time, or none runs, it is `ramp` steps, which are not worth a look at each.
  constexpr void settle(step_number ramp) {
    if (even && period > 0 && edge - at >= least_rounds * period) return;
    even = false;
    period = ramp;
    if (edge < at + ramp || edge == no_step) edge = at + ramp;
  }

  static constexpr step_number least_rounds = 4;
};

}  // namespace ipuflow::schedule::impl
