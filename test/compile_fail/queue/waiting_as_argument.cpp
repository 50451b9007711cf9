// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: what stands behind the capacity of a channel goes to its ring, which cannot take it; name ways of waiting and statistics as types
#include <ipuflow/queue/channel.hpp>

#include <memory>

using namespace ipuflow;

void pushes(std::unique_ptr<int> item) {
#ifdef EXPECT_FAILURE
  auto ends = queue::make_channel<std::unique_ptr<int>>(3, queue::block{});
  ends.in.push(std::move(item));
#else
  auto ends = queue::make_channel<std::unique_ptr<int>, queue::spsc_ring<std::unique_ptr<int>>, queue::block>(3);
  ends.in.push(std::move(item));
#endif
}
