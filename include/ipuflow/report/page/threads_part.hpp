// SPDX-License-Identifier: BSL-1.0
// A run on host threads as a part of a page: its timeline with the reasons of idle times, stashes and queues over time, and the time
// of each IPU by what it does.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/report/page/timeline_part.hpp>
#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/report/runs/timeline_svg.hpp>
#include <ipuflow/run/trace.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::report::impl {

template <class = void>
void threads_facts(page_part& part, const timeline& t) {
  std::size_t threads = 0, micro_batches = 0, operations = 0;
  for (const slice& s : t.slices) {
    if (s.kind == slice_kind::run) continue;
    ++operations;
    if (s.thread != schedule::nowhere) threads = algorithms::max(threads, s.thread + 1);
    if (is_pass(s.kind) && s.micro_batch != schedule::nowhere) micro_batches = algorithms::max(micro_batches, s.micro_batch + 1);
  }
  part.number("time", t.seconds_of(t.length), "s", "speed");
  part.number("IPUs", static_cast<double>(t.rows.size() - 1), "", "sizes");
  part.number("threads", static_cast<double>(threads), "", "sizes");
  part.number("runs of the timetable", static_cast<double>(t.runs.size()), "", "sizes");
  part.number("micro-batches of a run", static_cast<double>(micro_batches), "", "sizes");
  part.number("operations", static_cast<double>(operations), "", "sizes");
  if (t.left_out > 0) part.number("operations that found no room in the trace", static_cast<double>(t.left_out), "", "sizes");
}

template <class = void>
void describe(page_part& part, const run::trace& traced) {
  const timeline t = timeline_of(traced);
  const run_causes causes = causes_of<>(t, false);
  part.begin("threads", {.per_second = 1e9, .name = "ns"}, bound_of_rows<>(t, causes));
  threads_facts<>(part, t);
  if (t.slices.empty()) return;
  const row_time& busiest = causes.rows[busiest_row(t, causes)];
  std::uint64_t total = busiest.at_work();
  for (const std::uint64_t idle : busiest.idle) total += idle;
  part.breakdown(amounts_of<>(busiest), total);
  part.table(rows_table<>(t, causes));
  part.picture(picture_of_run<>(t), "Timeline of the run");
  add_timeline<>(part, t, causes);
}

}  // namespace ipuflow::report::impl
