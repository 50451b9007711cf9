// SPDX-License-Identifier: BSL-1.0
// A run as a trace that chrome://tracing and Perfetto open: a track for each IPU, an event for each operation and, behind them,
// for each update of weights that takes time. One unit of the costs is shown as one microsecond, or as what it is where the costs
// were measured and name a unit.
#pragma once

#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/report/schedules/time_text.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>

#include <cstddef>
#include <string>

namespace ipuflow::report {

/// The text of the file.
template <schedule::timetable T, schedule::pricing Costs = schedule::costs>
[[nodiscard]] std::string schedule_trace(const T& t, const Costs& c = {}) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    text += (ipu == 0 ? "" : ",\n");
    text += "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":" + std::to_string(ipu) +
            ",\"args\":{\"name\":\"IPU " + std::to_string(ipu) + "\"}}";
  }
  schedule::for_each_timed_and_updates(
      t, c, [&](std::size_t ipu, const schedule::placed& o, schedule::span_of_time span) {
        text += ",\n{\"name\":\"";
        text += schedule::letter(o.kind);
        text += std::to_string(o.micro_batch) + "\",\"cat\":\"" + schedule::name_of(o.kind) +
                "\",\"ph\":\"X\",\"ts\":" + impl::microseconds_text(c, span.start) +
                ",\"dur\":" + impl::microseconds_text(c, span.finish - span.start) + ",\"pid\":0,\"tid\":" + std::to_string(ipu) +
                ",\"args\":{\"stage\":" + std::to_string(o.stage) +
                ",\"micro_batch\":" + std::to_string(o.micro_batch) + "}}";
      });
  return text + "\n]}\n";
}

template <class Other, class Costs = schedule::costs>
  requires(!schedule::timetable<Other> || !schedule::pricing<Costs>)
std::string schedule_trace(const Other&, const Costs& = {}) {
  constexpr bool planned = schedule::timetable<Other>;
  return impl::refuse<planned ? report_wrong::not_costs : report_wrong::not_a_timetable, Other>(), std::string{};
}

}  // namespace ipuflow::report
