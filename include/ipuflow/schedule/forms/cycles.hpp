// SPDX-License-Identifier: BSL-1.0
// A schedule whose IPUs meet after several of its steps: the operations of each such cycle of an IPU follow one another, and what
// they hand on is exchanged at its end. PopART's pipelines are those of `eager_1f1b` in cycles of two steps: a forward and a backward.
#pragma once

#include <ipuflow/core/units.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// A timetable in closed form with `steps` of its steps as one; throws if those are none.
template <closed_form T>
[[nodiscard]] constexpr table in_cycles(const T& t, std::size_t steps = 2) {
  table made{t.where, t.run_for};
  made.goes = pace::in_step;
  made.alone = false;
  made.refused = t.refused;
  if constexpr (requires { t.recompute; }) made.recompute = t.recompute;
  if constexpr (requires { t.live; }) made.live = t.live;
  if (t.refused) return made;
  if (steps == 0) throw_if(arithmetic_fault{arithmetic_wrong::by_zero, t.steps(), steps});
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) {
      placed o = *w;
      o.step /= steps;
      made.rows[ipu].push_back(o);
    }
  }
  return made;
}

}  // namespace ipuflow::schedule
