// SPDX-License-Identifier: BSL-1.0
// expect: a queue has one consumer; std::move it
#include <ipuflow/queue/channel.hpp>

#include <utility>

using namespace ipuflow;

void assigns() {
  auto one = queue::make_channel<int>(3);
  auto other = queue::make_channel<int>(3);
#ifdef EXPECT_FAILURE
  one.out = other.out;
#else
  one.out = std::move(other.out);
#endif
}
