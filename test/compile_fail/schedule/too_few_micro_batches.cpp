// SPDX-License-Identifier: BSL-1.0
// DualPipe needs two micro-batches per IPU.
// expect: ipuflow: 6 micro-batches are too few for this schedule; the next number it allows is 8
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::dualpipe({.ipus = 4, .micro_batches = 6}))>());
#else
static_assert(accept<schedule::verify(schedule::dualpipe({.ipus = 4, .micro_batches = 8}))>());
#endif
