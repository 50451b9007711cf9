// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a single item is popped from a ring that is read in place; peek and release, or loop over the consumer
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>

using namespace ipuflow;

void reads() {
  auto ends = queue::make_channel<queue::slot_ring<int>>(3);
#ifdef EXPECT_FAILURE
  ends.out.pop();
#else
  if (!ends.out.peek().empty()) ends.out.release();
#endif
}
