// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: schedule_text prints tables; give it schedule::tabulate\(timetable\)
#include <ipuflow/report/schedules/schedule_text.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

using namespace ipuflow;

constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 8});

void show() {
#ifdef EXPECT_FAILURE
  (void)report::schedule_text(timetable);
#else
  (void)report::schedule_text(schedule::tabulate(timetable));
#endif
}
