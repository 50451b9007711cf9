// SPDX-License-Identifier: BSL-1.0
#include "training.hpp"

void train_in_floats(const schedule::table& timetable, const settings& s) {
  run_on<train::precision<>>(mnist<float>, timetable, s, show_in_floats);
}
