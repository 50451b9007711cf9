// SPDX-License-Identifier: BSL-1.0
// A schedule that is searched for is proven in a constant expression up to a size that compilers can work out.
// expect: ipuflow: this schedule has 98304 operations, more than the 13684 that compilers work out in a constant expression; make it and verify it at run time
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::v_half({.ipus = 32, .micro_batches = 512}))>());
#else
static_assert(accept<schedule::verify(schedule::v_half({.ipus = 16, .micro_batches = 128}))>());
#endif
