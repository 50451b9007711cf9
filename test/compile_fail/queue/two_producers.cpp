// SPDX-License-Identifier: BSL-1.0
// expect: a queue has one producer; std::move it, or make another queue
#include <ipuflow/queue/channel.hpp>

#include <utility>

void two_threads() {
  auto ends = ipuflow::queue::make_channel<int>(3);
#ifdef EXPECT_FAILURE
  auto second = ends.in;
#else
  auto second = std::move(ends.in);
#endif
  second.push(1);
}
