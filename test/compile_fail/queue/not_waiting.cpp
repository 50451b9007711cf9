// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: an end of a channel cannot wait with this type; give spin, spin_then_yield, block, or a type with wait\(ready\) and wake\(\)
#include <ipuflow/queue/channel.hpp>

using namespace ipuflow;

struct never {
  template <class Ready>
  void wait(Ready) {}
#ifndef EXPECT_FAILURE
  void wake() {}
#endif
};

auto ends = queue::make_channel<queue::spsc_ring<int>, never>(3);
