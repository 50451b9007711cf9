// SPDX-License-Identifier: BSL-1.0
// Clocks and durations of std::chrono without its calendars and formats: <shared_mutex> has what waiting for a lock needs of it, and
// no streams, which come with <thread> and cost more than half of <ranges>, nor what <chrono> adds to that, a third.
#pragma once

#include <shared_mutex>

namespace ipuflow {

/// The clock of everything that this library times; it never goes back.
using steady_clock = std::chrono::steady_clock;

}  // namespace ipuflow
