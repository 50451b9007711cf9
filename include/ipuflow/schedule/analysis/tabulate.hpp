// SPDX-License-Identifier: BSL-1.0
// Any timetable written out as a table: for text, pictures, files, and what reads rows.
#pragma once

#include <ipuflow/schedule/analysis/run_order.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The same schedule written out. Where IPUs step together the steps are its own; otherwise an operation takes one step
/// and runs as early as its order allows.
template <timetable T>
[[nodiscard]] constexpr table tabulate(const T& t) {
  table written{t.where, t.run_for};
  written.goes = t.goes;
  written.refused = t.refused;
  if constexpr (requires { t.alone; }) written.alone = t.alone;
  if constexpr (requires { t.recompute; }) written.recompute = t.recompute;
  if constexpr (requires { t.live; }) written.live = t.live;
  if (t.refused) return written;
  if (t.goes != pace::freely) {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      for (auto w = t.walk(ipu); w; ++w) written.rows[ipu].push_back(*w);
    }
    return written;
  }
  for_each_timed(t, impl::one_step_each{}, [&](std::size_t ipu, std::size_t, placed o, span_of_time span) {
    o.step = span.start;
    written.rows[ipu].push_back(o);
  });
  return written;
}

/// A table keeps its steps if they respect what is read, as those of a file with its idle cells do.
[[nodiscard]] constexpr table tabulate(const table& t) {
  if (t.refused || t.goes != pace::freely) return t;
  table as_rules = t;
  as_rules.goes = pace::in_step;
  if (!impl::verify_order(as_rules)) return t;
  return tabulate<table>(t);
}

}  // namespace ipuflow::schedule
