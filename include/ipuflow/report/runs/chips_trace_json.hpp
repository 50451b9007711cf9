// SPDX-License-Identifier: BSL-1.0
// A run on chips in the trace event format, as trace_json.hpp has it for one on host threads: a process for the IPUs
// and one for the host, times from cycles.
#pragma once

#include <ipuflow/report/runs/chips_timeline.hpp>
#include <ipuflow/report/runs/trace_json.hpp>

namespace ipuflow::report {

template <trace_stream Out>
void trace_json(Out& out, const run::chips_profile& profile, const trace_options& options = {}) {
  const timeline t = timeline_of(profile, {.most = options.most});
  impl::trace_writer{out, t}.write(options.name.empty() ? "IPU model" : options.name);
}

}  // namespace ipuflow::report
