// SPDX-License-Identifier: BSL-1.0
// Messages come out in the order in which they went in, however many there are.
#include <ipuflow/schedule/analysis/message_ring.hpp>

#include <doctest/doctest.h>

#include <deque>

namespace message_ring_test {

using namespace ipuflow::schedule::impl;

TEST_CASE("a ring is a queue of any length") {
  message_ring ring;
  std::deque<std::size_t> expected;
  std::size_t next = 0, state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (state >> 63 == 0 || expected.empty()) {
      ring.add() = {10 * next, next};
      expected.push_back(next++);
    } else {
      const growing_time made = ring.take();
      CHECK(made.at == 10 * expected.front());
      CHECK(made.growth == expected.front());
      expected.pop_front();
    }
    REQUIRE(ring.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK(ring[k].at == 10 * expected[k]);
  }
}

TEST_CASE("a queue that stays short stays where it is") {
  message_ring ring;
  ring.add() = {0, 0};
  for (std::size_t round = 0; round < 100; ++round) {
    ring.add() = {round + 1, 0};
    CHECK(ring.take().at == round);
    CHECK(ring.size() == 1);
  }
}

}  // namespace message_ring_test
