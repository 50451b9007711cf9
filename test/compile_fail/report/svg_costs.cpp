// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a schedule cannot be drawn with costs of this type; give schedule::costs\{\.\.\.\}, or a type that has its functions
#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

using namespace ipuflow;

constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 8});

void show() {
#ifdef EXPECT_FAILURE
  (void)report::schedule_svg(timetable, 3);
#else
  (void)report::schedule_svg(timetable);
#endif
}
