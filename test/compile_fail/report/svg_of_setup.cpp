// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a picture of a schedule is asked for of something that is no timetable; give what a generator returns, or timeline_svg and trace_json a run
#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

using namespace ipuflow;

constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 8});

void show() {
#ifdef EXPECT_FAILURE
  (void)report::schedule_svg(schedule::setup{.ipus = 2, .micro_batches = 8});
#else
  (void)report::schedule_svg(timetable);
#endif
}
