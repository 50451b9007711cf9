// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: only profiles of chips have a summary; give what a run on chips returned; a run on host threads is seen by timeline_svg and trace_json
#include <ipuflow/report/chips/summary.hpp>
#include <ipuflow/run/trace.hpp>

using namespace ipuflow;

void show() {
#ifdef EXPECT_FAILURE
  (void)report::summary(run::trace{10});
#else
  (void)report::summary(run::chips_profile{});
#endif
}
