// SPDX-License-Identifier: BSL-1.0
// The smallest timetable: 1F1B on four IPUs, proved when it is compiled. Prints it, a row for each IPU.
// begin: whole
#include <ipuflow/report/schedules/schedule_text.hpp>
#include <ipuflow/schedule.hpp>

#include <iostream>

using namespace ipuflow;

constexpr auto timetable = schedule::one_f_one_b({.ipus = 4, .micro_batches = 8});
static_assert(accept<schedule::verify(timetable)>());  // complete, ordered, no deadlock
static_assert(schedule::makespan(timetable) == 33);    // where each of forward and both backwards takes 1

int main() { std::cout << report::schedule_text(schedule::tabulate(timetable)); }
// end: whole
