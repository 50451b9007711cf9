// SPDX-License-Identifier: BSL-1.0
// Parallel phases over an odd number of IPUs.
// expect: ipuflow: phase 3 is on IPU 0; with parallel phases even phases run on even IPUs and odd ones on odd IPUs
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::phased({.ipus = 3, .stages_per_ipu = 2, .micro_batches = 1}, {.parallel = true}))>());
#else
static_assert(accept<schedule::verify(schedule::phased({.ipus = 2, .stages_per_ipu = 2, .micro_batches = 1}, {.parallel = true}))>());
#endif
