// SPDX-License-Identifier: BSL-1.0
// Interleaved has no time for it: its backwards are in step with other IPUs' forwards.
// expect: ipuflow: this schedule does not recompute within the backward, where checkpoints are heeded
// expect: or use grouped or sequential
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::interleaved({.ipus = 4, .micro_batches = 8},
                                                            schedule::recomputation::and_backpropagate))>());
#else
static_assert(accept<schedule::verify(schedule::interleaved({.ipus = 4, .micro_batches = 8},
                                                            schedule::recomputation::automatic))>());
#endif
