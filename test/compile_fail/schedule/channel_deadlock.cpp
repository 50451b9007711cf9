// SPDX-License-Identifier: BSL-1.0
// Sends that wait for their receive.
// expect: ipuflow: waits for ever: forward of micro-batch 3 in stage 0 on IPU 0, position 7 with channels of 0 values; give deeper channels or reorder the sends
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify_channels(schedule::one_f_one_b({.ipus = 4, .micro_batches = 8}), 0)>());
#else
static_assert(accept<schedule::verify_channels(schedule::one_f_one_b({.ipus = 4, .micro_batches = 8}), 1)>());
#endif
