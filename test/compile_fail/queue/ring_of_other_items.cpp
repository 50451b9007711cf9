// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: the ring of a channel holds items of another type; name the ring alone, make_channel<ring>\(capacity\)
#include <ipuflow/queue/channel.hpp>

#include <string>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using item = int;
#else
using item = std::string;
#endif

auto ends = queue::make_channel<item, queue::spsc_ring<std::string>>(3);
