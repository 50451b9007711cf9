// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/spsc_ring.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "oracle.hpp"
#include "ring_laws.hpp"

namespace spsc_ring_test {

using namespace ipuflow::queue;

template <class T>
using ring_of = spsc_ring<T>;

TEST_CASE("the ring does what a deque does, step for step, and leaks nothing") { ring_laws::behaves<ring_of>(); }

TEST_CASE("an item that throws is neither lost nor half there") { ring_laws::survives_throwing_items<ring_of>(); }

TEST_CASE("items are constructed in their slot from what they are made of") {
  spsc_ring<std::string> ring{2};
  CHECK(ring.try_emplace(3u, 'x'));
  const std::string copied{"copied"};
  CHECK(ring.try_push(copied));
  CHECK(copied == "copied");
  CHECK(ring.try_pop() == "xxx");
  CHECK(ring.try_pop() == "copied");
  CHECK(ring.try_pop() == std::nullopt);
}

TEST_CASE("the oldest item can be looked at, and the room that is known is there") {
  spsc_ring<std::string> ring{2};
  CHECK(ring.front() == nullptr);
  CHECK(ring.room() == 2);
  CHECK(ring.try_push("a"));
  CHECK(ring.try_push("b"));
  CHECK(ring.room() == 0);
  REQUIRE(ring.front() != nullptr);
  CHECK(*ring.front() == "a");
  ring.release(1);
  CHECK(ring.room() == 1);
  CHECK(*ring.front() == "b");
  ring.release(1);
  CHECK(ring.front() == nullptr);
}

TEST_CASE("items of any alignment lie at it") {
  struct alignas(256) wide {
    std::byte bytes[256];
  };
  spsc_ring<wide> ring{3};
  for (std::size_t i = 0; i < 7; ++i) {
    const auto place = ring.reserve(1);
    CHECK(reinterpret_cast<std::uintptr_t>(place.data()) % 256 == 0);
    ring.commit(1);
    ring.release(ring.peek(1).size());
  }
}

TEST_CASE("a reservation that is given up leaves nothing behind") {
  {
    spsc_ring<oracle::owner> ring{4};
    CHECK(ring.reserve(3).size() == 3);
    CHECK(ring.reserve(1).size() == 1);  // part of the same reservation
    CHECK(oracle::owner::alive == 3);
    CHECK(ring.try_push(oracle::owner{1}));
    CHECK(oracle::owner::alive == 1);
    CHECK(ring.reserve(2).size() == 2);
  }
  CHECK(oracle::owner::alive == 0);
}

TEST_CASE("more is never committed or released than there is") {
  spsc_ring<int> ring{4};
  CHECK(ring.reserve(4).size() == 4);
  CHECK(ring.try_push(1));
  CHECK_THROWS_AS(ring.commit(4), ring_laws::rejected<ring_laws::queue_fault>);
  ring.commit(3);
  CHECK(ring.readable() == 4);
}

TEST_CASE("the sides of a ring share no cache line") {
  static_assert(alignof(spsc_ring<int>) >= cache_line);
  static_assert(sizeof(ring_side<>) == 2 * cache_line);
  static_assert(!std::is_copy_constructible_v<spsc_ring<int>>);
}

TEST_CASE("items that are reserved behind a push are made anew, though none of them has anything to destroy") {
  struct five {
    int number = 5;
  };
  spsc_ring<five> ring{8};
  for (int round = 0; round < 3; ++round) {
    for (five& each : ring.reserve(2)) each.number = 1;  // and not committed
    CHECK(ring.try_push(five{9}));
    for (const five& each : ring.reserve(2)) CHECK(each.number == 5);
    CHECK_THROWS_AS(ring.commit(3), ring_laws::rejected<ring_laws::queue_fault>);
  }
}

}  // namespace spsc_ring_test
