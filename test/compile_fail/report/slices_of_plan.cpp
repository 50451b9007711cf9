// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a timeline is asked for of something that has not run; give a run::trace or, with <ipuflow/chips\.hpp>, the profile of a run on chips; for a plan there are schedule_svg and schedule_trace
#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

using namespace ipuflow;

constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 8});

void show() {
#ifdef EXPECT_FAILURE
  (void)report::timeline_of(timetable);
#else
  (void)report::timeline_of(run::trace{10});
#endif
}
