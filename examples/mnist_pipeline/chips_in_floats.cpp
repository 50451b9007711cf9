// SPDX-License-Identifier: BSL-1.0
#include "on_chips.hpp"

void show_in_floats(const schedule::table& timetable, const train::options& options, const settings& s) {
  show_model<train::precision<>>(mnist<float>, timetable, options, s);
}
