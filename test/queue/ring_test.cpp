// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/boost_ring.hpp>
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/slot_ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "oracle.hpp"

namespace ring_test {

using namespace ipuflow::queue;

static_assert(ring<spsc_ring<int>> && ring<boost_ring<int>> && ring<oracle::deque_ring<int>>);
static_assert(ring<spsc_ring<std::unique_ptr<int>>> && ring<boost_ring<std::unique_ptr<int>>>);
static_assert(place_ring<slot_ring<std::vector<int>>>);
static_assert(!ring<slot_ring<std::vector<int>>>, "slots stay where they are");
static_assert(!place_ring<std::deque<int>> && !fillable<int> && !drainable<int>);

static_assert(queueable<int> && queueable<std::string> && queueable<std::unique_ptr<int>>);
static_assert(!queueable<int&> && !queueable<const int> && !queueable<void> && !queueable<int[3]>);

TEST_CASE("what a ring is, is decided by the compiler") {
  CHECK(ring<spsc_ring<int>>);
  CHECK_FALSE(ring<std::deque<int>>);
}

}  // namespace ring_test
