// SPDX-License-Identifier: BSL-1.0
// An end is of a channel, whose ring and waiting it has to know.
// expect: ipuflow: an end of a queue is a producer or consumer of a channel, and not of its items; name it decltype\(make_channel<T>\(1\).in\), or .out
#include <ipuflow/queue.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using end = queue::producer<int>;
#else
using end = decltype(queue::make_channel<int>(1).in);
#endif

struct worker {
  end kept;
};
