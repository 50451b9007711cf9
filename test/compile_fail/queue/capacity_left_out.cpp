// SPDX-License-Identifier: BSL-1.0
// A channel that is not told how many items fit into it.
// expect: ipuflow: a queue is asked to hold 0 items; give it a capacity from 1 up
#include <ipuflow/queue/channel.hpp>

#ifdef EXPECT_FAILURE
auto ends = ipuflow::queue::make_channel<int>();
#else
auto ends = ipuflow::queue::make_channel<int>(1024);
#endif
