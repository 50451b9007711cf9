// SPDX-License-Identifier: BSL-1.0
// A schedule of the training only.
// expect: ipuflow: this schedule has no inference form; use inference, grouped, interleaved or sequential
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::zbv({.ipus = 4, .micro_batches = 8, .run_for = mode::inference}))>());
#else
static_assert(accept<schedule::verify(schedule::inference({.ipus = 4, .micro_batches = 8}))>());
#endif
