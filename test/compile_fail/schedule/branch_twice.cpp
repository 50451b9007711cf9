// SPDX-License-Identifier: BSL-1.0
// Concurrent branches that share an IPU.
// expect: ipuflow: two branches of stage 1 are both on IPU 2; give concurrent branches IPUs of their own
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::grouped(schedule::devices(0, schedule::on_ipus(2, 2)), micro_batches<4>))>());
#else
static_assert(accept<schedule::verify(schedule::grouped(schedule::devices(0, schedule::on_ipus(1, 2)), micro_batches<4>))>());
#endif
