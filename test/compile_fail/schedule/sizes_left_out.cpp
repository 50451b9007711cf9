// SPDX-License-Identifier: BSL-1.0
// A schedule of nothing.
// expect: ipuflow: a schedule is made neither of a pipeline and micro-batches nor of sizes; ask for \(network, micro_batches<16>\), or \{\.ipus = 4, \.micro_batches = 16\}
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void makes() { schedule::one_f_one_b(); }
#else
void makes() { (void)schedule::one_f_one_b({.ipus = 4, .micro_batches = 16}); }
#endif
