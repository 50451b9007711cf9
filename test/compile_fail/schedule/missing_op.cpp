// SPDX-License-Identifier: BSL-1.0
// A table that forgets a backward.
// expect: ipuflow: never done: backward of micro-batch 0 in stage 1 on IPU 1; add it to the order of that IPU
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::read_csv("0F0,,,0B0\n,1F0"))>());
#else
static_assert(accept<schedule::verify(schedule::read_csv("0F0,,,0B0\n,1F0,1B0"))>());
#endif
