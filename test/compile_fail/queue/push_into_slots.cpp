// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a single item is pushed into a ring that is filled in place; reserve and commit
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>

using namespace ipuflow;

void writes() {
  auto ends = queue::make_channel<queue::slot_ring<int>>(3);
#ifdef EXPECT_FAILURE
  ends.in.push(1);
#else
  if (!ends.in.reserve().empty()) ends.in.commit();
#endif
}
