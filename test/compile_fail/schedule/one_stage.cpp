// SPDX-License-Identifier: BSL-1.0
// Grouped over a single stage.
// expect: ipuflow: a pipeline of 1 stage has nothing to overlap; give at least 2 stages
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::grouped({.ipus = 1, .micro_batches = 4}))>());
#else
static_assert(accept<schedule::verify(schedule::sharded({.ipus = 1, .micro_batches = 4}))>());
#endif
