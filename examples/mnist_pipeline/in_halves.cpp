// SPDX-License-Identifier: BSL-1.0
#include "training.hpp"

void train_in_halves(const schedule::table& timetable, const settings& s) {
  run_on<train::precision<float, half>>(mnist<half>, timetable, s, show_in_halves);
}
