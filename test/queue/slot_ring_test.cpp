// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/slot_ring.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <set>
#include <vector>

#include "oracle.hpp"
#include "ring_laws.hpp"

namespace slot_ring_test {

using namespace ipuflow::queue;
using batch = std::vector<std::size_t>;

TEST_CASE("slots are filled, read and returned in order, whatever the capacity") {
  for (std::size_t capacity = 1; capacity < 20; ++capacity) {
    slot_ring<batch> ring{capacity, [] { return batch(8); }};
    CHECK(ring.capacity() == capacity);
    std::deque<std::size_t> model;
    std::set<const std::size_t*> memory;
    std::size_t next = 0;
    oracle::dice dice{capacity};
    for (std::size_t i = 0; i < 3000; ++i) {
      const auto places = ring.reserve(dice.below(capacity + 2));
      const std::size_t filled = dice.below(places.size() + 1);
      for (std::size_t k = 0; k < filled; ++k) {
        model.push_back(next);
        places[k].assign(8, next++);
        memory.insert(places[k].data());
      }
      ring.commit(filled);
      REQUIRE_THROWS_AS(ring.commit(capacity + 1), ring_laws::rejected<ring_laws::queue_fault>);
      const auto slots = ring.peek(dice.below(capacity + 2));
      for (std::size_t k = 0; k < slots.size(); ++k) REQUIRE(slots[k] == batch(8, model[k]));
      const std::size_t read = dice.below(slots.size() + 1);
      ring.release(read);
      model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(read));
      REQUIRE_THROWS_AS(ring.release(capacity + 1), ring_laws::rejected<ring_laws::queue_fault>);
      REQUIRE(ring.readable() == model.size());
      REQUIRE(ring.writable() == capacity - model.size());
    }
    CHECK(memory.size() <= capacity);  // nothing was allocated after the slots were made
  }
}

}  // namespace slot_ring_test
