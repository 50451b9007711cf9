// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: only runs are saved as files; give a run::trace or the profile of a run on chips, or save_file what you print
#include <ipuflow/report/files.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

using namespace ipuflow;

constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 8});

void show() {
#ifdef EXPECT_FAILURE
  report::save("folder", timetable);
#else
  report::save("folder", run::trace{10});
#endif
}
