// SPDX-License-Identifier: BSL-1.0
// An engine, with all memory of its chips, is copied.
// expect: ipuflow: chips cannot be copied; make another engine of the same program
#include <ipuflow/ipu/engine/engine.hpp>

using namespace ipuflow;


#ifdef EXPECT_FAILURE
void run(ipu::engine& chips) { auto more = chips; }
#else
void run(ipu::engine& chips) { auto& more = chips; (void)more; }
#endif
