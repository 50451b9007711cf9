// SPDX-License-Identifier: BSL-1.0
// 1F1B has one stage on each IPU.
// expect: ipuflow: 2 stages per IPU do not fit this schedule; it has 1 on each
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::one_f_one_b({.ipus = 4, .stages_per_ipu = 2, .micro_batches = 8}))>());
#else
static_assert(accept<schedule::verify(schedule::interleaved_1f1b({.ipus = 4, .stages_per_ipu = 2, .micro_batches = 8}))>());
#endif
