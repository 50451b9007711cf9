// SPDX-License-Identifier: BSL-1.0
#include "on_chips.hpp"

void show_in_halves(const schedule::table& timetable, const train::options& options, const settings& s) {
  show_model<train::precision<float, half>>(mnist<half>, timetable, options, s);
}
