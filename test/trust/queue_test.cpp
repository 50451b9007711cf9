// SPDX-License-Identifier: BSL-1.0
// Channels and rings with everything that may fail failing in turn; items whose copies and moves throw.
#include "injection.hpp"

#include <ipuflow/queue.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace trust_queue_test {

using namespace ipuflow;

/// Has memory of its own, and may fail whenever it is copied.
struct fragile_item {
  std::unique_ptr<int> value;

  explicit fragile_item(int v) : value{std::make_unique<int>(v)} {}
  fragile_item(const fragile_item& other) : value{std::make_unique<int>(*other.value)} { trust::user_call(); }
  fragile_item(fragile_item&&) noexcept = default;
  fragile_item& operator=(fragile_item&&) noexcept = default;
};

TEST_CASE("a channel between two threads, one of which may give up at any time") {
  trust::walk_all("channel, two threads", [] {
    auto [out, in] = queue::make_channel<fragile_item>(2);
    long sum = 0;
    {
      std::jthread reader{[&sum, reads = std::move(in)]() mutable {
        while (auto item = reads.pop()) sum += *item->value;
      }};
      auto writes = std::move(out);  // closed when this scope is left, whichever way
      for (int i = 1; i <= 10; ++i) {
        const fragile_item made{i};
        fragile_item copy = made;
        writes.push(std::move(copy));
      }
    }
    CHECK(sum == 55);
  });
}

TEST_CASE("a channel whose items were never taken gives their memory back") {
  trust::walk_all("channel, items left", [] {
    auto [out, in] = queue::make_channel<fragile_item>(8);
    for (int i = 0; i < 5; ++i) (void)out.try_push(fragile_item{i});
    auto item = in.pop();
    CHECK(*item->value == 0);
  });
}

}  // namespace trust_queue_test
