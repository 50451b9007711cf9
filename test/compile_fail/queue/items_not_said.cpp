// SPDX-License-Identifier: BSL-1.0
// A channel that does not say what it holds.
// expect: ipuflow: a channel does not know what its items are; say it, make_channel<T>\(capacity\)
#include <ipuflow/queue.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void makes() { auto ends = queue::make_channel(8); }
#else
void makes() { auto ends = queue::make_channel<int>(8); }
#endif
