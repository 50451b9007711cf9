// SPDX-License-Identifier: BSL-1.0
// expect: a queue has one producer; std::move it
#include <ipuflow/queue/channel.hpp>

#include <utility>

using namespace ipuflow;

void assigns() {
  auto one = queue::make_channel<int>(3);
  auto other = queue::make_channel<int>(3);
#ifdef EXPECT_FAILURE
  one.in = other.in;
#else
  one.in = std::move(other.in);
#endif
}
