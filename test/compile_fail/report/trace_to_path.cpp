// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a trace is written to a stream; give std::cout or a std::ofstream, or let save\(folder, run\) make the file
#include <ipuflow/report/runs/trace_json.hpp>
#include <ostream>

using namespace ipuflow;

void show(std::ostream& out) {
#ifdef EXPECT_FAILURE
  (void)out;
  report::trace_json("trace.json", run::trace{10});
#else
  report::trace_json(out, run::trace{10});
#endif
}
