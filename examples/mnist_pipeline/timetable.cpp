// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule.hpp>

#include "network.hpp"
#include "parts.hpp"

schedule::table timetable_of(const settings& s) {
  // begin: schedule
  const schedule::setup asked = schedule::setup_of(mnist<float>, s.gradient_accumulation);
  return schedule::with_schedule(s.schedule_name(), asked, [](const auto& timetable) {
    throw_if(schedule::verify(timetable));
    return schedule::tabulate(timetable);
  });
  // end: schedule
}
