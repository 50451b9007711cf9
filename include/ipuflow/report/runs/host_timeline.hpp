// SPDX-License-Identifier: BSL-1.0
// A run on host threads as rows of slices. The host's own row shows the runs of the timetable: what lies between two of
// them is the time in which weights are updated, and results and data change hands.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/report/runs/run_marks.hpp>
#include <ipuflow/report/runs/timeline.hpp>
#include <ipuflow/run/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

/// The first `most` operations of what was traced.
template <class = void>
[[nodiscard]] inline timeline timeline_of(const run::trace& traced, std::size_t most = static_cast<std::size_t>(-1)) {
  timeline t{.ticks = {1e9}};
  light_vector<run::event> events = traced.events();
  algorithms::sort(events.begin(), events.end(), [](const run::event& a, const run::event& b) {
    if (a.start != b.start) return a.start < b.start;
    return a.finish != b.finish ? a.finish < b.finish : a.ipu < b.ipu;
  });
  std::size_t ipus = 0;
  impl::run_marks marks;
  const auto ticks = [&](steady_clock::time_point at) {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(at - events.front().start).count());
  };
  for (const run::event& e : events) {
    ipus = algorithms::max(ipus, e.ipu + 1);
    slice s{.kind = kind_of(e.what.kind),
            .row = e.ipu,
            .stage = e.what.stage,
            .micro_batch = e.what.micro_batch,
            .thread = e.thread,
            .start = ticks(e.start),
            .finish = ticks(e.finish)};
    s.run = marks.note(s);
    t.length = algorithms::max(t.length, s.finish);
    if (t.slices.size() < most) t.slices.push_back(s);
  }
  t.left_out = events.size() - t.slices.size() + traced.dropped();
  t.complete = t.left_out == 0;
  t.runs = marks.times();
  for (std::size_t ipu = 0; ipu < ipus; ++ipu) t.rows.push_back({.name = impl::joined("IPU ", std::to_string(ipu))});
  t.rows.push_back({.name = "host", .host = true});
  const std::uint64_t shown = t.complete || t.slices.empty() ? t.length : t.slices.back().start;
  for (std::size_t r = 0; r < t.runs.size(); ++r) {
    if (t.runs[r].finish > shown) break;
    t.slices.push_back(
        {.kind = slice_kind::run, .row = ipus, .run = r, .start = t.runs[r].start, .finish = t.runs[r].finish});
  }
  arrange(t);
  return t;
}

template <class Other>
timeline timeline_of(const Other&) {
  return impl::refuse<report_wrong::not_a_run, Other>(), timeline{};
}

}  // namespace ipuflow::report
