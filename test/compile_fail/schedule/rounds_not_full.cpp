// SPDX-License-Identifier: BSL-1.0
// Grouped inference over three stages takes micro-batches by threes.
// expect: ipuflow: 10 micro-batches do not fill the rounds of this schedule; the next number it allows is 12
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::grouped({.ipus = 3, .micro_batches = 10, .run_for = mode::inference}))>());
#else
static_assert(accept<schedule::verify(schedule::grouped({.ipus = 3, .micro_batches = 12, .run_for = mode::inference}))>());
#endif
