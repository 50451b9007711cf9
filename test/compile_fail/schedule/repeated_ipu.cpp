// SPDX-License-Identifier: BSL-1.0
// Interleaved training of two stages on one IPU.
// expect: ipuflow: stages 0 and 2 are both on IPU 0, which interleaved training cannot alternate; place them apart or use grouped
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::interleaved(schedule::devices(0, 1, 0), micro_batches<6>))>());
#else
static_assert(accept<schedule::verify(schedule::grouped(schedule::devices(0, 1, 0), micro_batches<6>))>());
#endif
