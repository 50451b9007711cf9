// SPDX-License-Identifier: BSL-1.0
// More stages than the module handles.
// expect: ipuflow: a schedule has 4000 stages; give at most 2048
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::one_f_one_b({.ipus = 4000, .micro_batches = 4}))>());
#else
static_assert(accept<schedule::verify(schedule::one_f_one_b({.ipus = 20, .micro_batches = 4}))>());
#endif
