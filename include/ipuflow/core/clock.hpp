// SPDX-License-Identifier: BSL-1.0
// Clocks and durations of std::chrono without its calendars and formats: what sleeping needs of it is in <thread>, and <chrono> adds
// a third of <ranges> to that.
#pragma once

#include <thread>

namespace ipuflow {

/// The clock of everything that this library times; it never goes back.
using steady_clock = std::chrono::steady_clock;

}  // namespace ipuflow
