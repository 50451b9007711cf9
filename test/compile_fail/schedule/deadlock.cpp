// SPDX-License-Identifier: BSL-1.0
// Two IPUs that wait for each other.
// expect: ipuflow: waits for ever: backward of micro-batch 0 in stage 0 on IPU 0, position 2; IPU 1 has not reached what it reads
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::read_csv("0F0,2F0,0B0,2B0\n1F0,3F0,3B0,1B0"))>());
#else
static_assert(accept<schedule::verify(schedule::read_csv("0F0,2F0,2B0,0B0\n1F0,3F0,3B0,1B0"))>());
#endif
