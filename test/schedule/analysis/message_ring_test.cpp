// SPDX-License-Identifier: BSL-1.0
// Messages come out as they went in; rounds that are repeated move times and leave names.
#include <ipuflow/schedule/analysis/message_ring.hpp>

#include <doctest/doctest.h>

#include <deque>

namespace message_ring_test {

using namespace ipuflow::schedule::impl;

TEST_CASE("a ring is a queue of times with names, of any length") {
  message_ring ring;
  std::deque<std::size_t> expected;
  std::size_t next = 0, state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (state >> 63 == 0 || expected.empty()) {
      ring.add() = {10 * next, next};
      ring.name_last(next);
      expected.push_back(next++);
    } else {
      CHECK_FALSE(message_ring{ring}.reads(expected.front() + 1));
      REQUIRE(ring.reads(expected.front()));
      const growing_time made = ring.take();
      CHECK(made.at == 10 * expected.front());
      CHECK(made.growth == expected.front());
      expected.pop_front();
    }
    REQUIRE(ring.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK(ring[k].at == 10 * expected[k]);
  }
}

TEST_CASE("times that are moved alone keep the names of those before them") {
  message_ring ring;
  for (std::size_t m = 0; m < 3; ++m) {
    ring.add() = {m, 0};
    ring.name_last(m);
  }
  for (std::size_t round = 0; round < 100; ++round) {
    CHECK(ring.take().at == round);
    ring.add() = {round + 3, 0};
  }
  CHECK(ring.reads(0));
  CHECK(ring.take().at == 100);
  CHECK(ring.reads(1));
}

}  // namespace message_ring_test
