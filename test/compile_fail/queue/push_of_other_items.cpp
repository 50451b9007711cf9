// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: an item is pushed that does not become one of the queue; push one of its type, and move what only moves
#include <ipuflow/queue/channel.hpp>

#include <memory>

using namespace ipuflow;

void pushes(std::unique_ptr<int> item) {
  auto ends = queue::make_channel<std::unique_ptr<int>>(3);
#ifdef EXPECT_FAILURE
  ends.in.push(item);
#else
  ends.in.push(std::move(item));
#endif
}
