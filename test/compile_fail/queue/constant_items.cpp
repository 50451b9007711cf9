// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a queue holds objects that can be moved; queue a value or a pointer
#include <ipuflow/queue/channel.hpp>

#ifdef EXPECT_FAILURE
using item = const int;
#else
using item = const int*;
#endif

auto ends = ipuflow::queue::make_channel<item>(3);
