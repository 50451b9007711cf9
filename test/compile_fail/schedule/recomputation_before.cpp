// SPDX-License-Identifier: BSL-1.0
// Sequential does one operation at a time, so there is nothing to recompute beside.
// expect: ipuflow: this schedule has no step to recompute in before a backward
// expect: or use grouped or interleaved
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::sequential({.ipus = 4, .micro_batches = 8},
                                                           schedule::recomputation::then_backpropagate))>());
#else
static_assert(accept<schedule::verify(schedule::sequential({.ipus = 4, .micro_batches = 8},
                                                           schedule::recomputation::automatic))>());
#endif
