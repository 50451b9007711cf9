// SPDX-License-Identifier: BSL-1.0
// A FIFO that is declared too shallow.
// expect: ipuflow: stage 0 keeps 6 values in a FIFO of 4; declare it deeper or choose a schedule that keeps fewer
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify_fifos(schedule::grouped({.ipus = 4, .micro_batches = 16}), per_stage(4, 4, 2, 0))>());
#else
static_assert(accept<schedule::verify_fifos(schedule::grouped({.ipus = 4, .micro_batches = 16}), per_stage(6, 4, 2, 0))>());
#endif
