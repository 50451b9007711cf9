// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: push_all copies, but these items only move; push\(std::move\(item\)\) one by one
#include <ipuflow/queue/channel.hpp>

#include <memory>
#include <span>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using item = std::unique_ptr<int>;
#else
using item = std::shared_ptr<int>;
#endif

void pushes(std::span<const item> items) {
  auto ends = queue::make_channel<item>(3);
  ends.in.push_all(items);
}
