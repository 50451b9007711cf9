// SPDX-License-Identifier: BSL-1.0
// Flows in both directions meet in the middle.
// expect: ipuflow: a schedule that runs both ways is asked for on 3 IPUs; give an even number of IPUs, such as 4
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::chimera({.ipus = 3, .micro_batches = 8}))>());
#else
static_assert(accept<schedule::verify(schedule::chimera({.ipus = 4, .micro_batches = 8}))>());
#endif
