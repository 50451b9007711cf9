// SPDX-License-Identifier: BSL-1.0
// A timetable of numbers that do not say what they are.
// expect: ipuflow: a schedule is made neither of a pipeline and micro-batches nor of sizes; ask for \(network, micro_batches<16>\), or \{.ipus = 4, .micro_batches = 16\}
#include <ipuflow/schedule/generators/gpipe.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto timetable = schedule::gpipe(4, 16);
#else
constexpr auto timetable = schedule::gpipe({.ipus = 4, .micro_batches = 16});
#endif
