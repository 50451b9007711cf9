// SPDX-License-Identifier: BSL-1.0
// A run without micro-batches.
// expect: ipuflow: a schedule is asked for without micro-batches; give at least 8
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::grouped({.ipus = 4}))>());
#else
static_assert(accept<schedule::verify(schedule::grouped({.ipus = 4, .micro_batches = 8}))>());
#endif
