// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a channel is asked for with something that is not a ring behind its items; name the ring before the way of waiting
#include <ipuflow/queue/channel.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
auto ends = queue::make_channel<int, queue::block>(3);
#else
auto ends = queue::make_channel<queue::spsc_ring<int>, queue::block>(3);
#endif
