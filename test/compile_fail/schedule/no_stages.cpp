// SPDX-License-Identifier: BSL-1.0
// A schedule of nothing.
// expect: ipuflow: a schedule is asked for without stages; give at least one IPU and one stage on it
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::gpipe({.micro_batches = 4}))>());
#else
static_assert(accept<schedule::verify(schedule::gpipe({.ipus = 1, .micro_batches = 4}))>());
#endif
