// SPDX-License-Identifier: BSL-1.0
// expect: a queue has one consumer; std::move it, or make another queue
#include <ipuflow/queue/channel.hpp>

#include <utility>

void two_threads() {
  auto ends = ipuflow::queue::make_channel<int>(3);
#ifdef EXPECT_FAILURE
  auto second = ends.out;
#else
  auto second = std::move(ends.out);
#endif
  second.pop();
}
