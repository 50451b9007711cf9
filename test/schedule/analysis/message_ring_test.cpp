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

TEST_CASE("messages that a cycle repeats come out as if each had been put in") {
  message_ring ring;
  std::deque<growing_time> expected;
  std::size_t taken = 0;
  const auto add = [&](const growing_time& made) {
    ring.add() = made;
    expected.push_back(made);
  };
  const auto take = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(ring.size() == expected.size());
      CHECK(ring.take().at == expected.front().at);
      expected.pop_front();
      CHECK(ring.taken() == ++taken);
    }
  };
  const auto repeat = [&](std::size_t messages, std::size_t cycles) {
    ring.repeat_newest(messages, cycles);
    for (std::size_t i = 0; i < messages * cycles; ++i) {
      const growing_time before = expected[expected.size() - messages];
      expected.push_back({before.at + before.growth, before.growth});
    }
  };
  for (const growing_time& made : {growing_time{1, 7}, growing_time{5, 10}, growing_time{6, 10}, growing_time{9, 10}}) add(made);
  take(1);
  repeat(3, 4);
  add({70, 2});
  take(8);  // of those for themselves, and some of the cycle
  repeat(1, 0);
  repeat(1, 5);
  add({100, 0});
  CHECK_FALSE(ring.is_plain());
  take(5);
  add({110, 0});
  take(expected.size());
  CHECK(ring.is_plain());
  CHECK(ring.size() == 0);
}

TEST_CASE("cycles that are left out leave what taking would leave, for as long as messages are at equal distances") {
  const auto filled = [] {
    message_ring ring;
    for (const std::size_t at : {3u, 4u}) ring.add() = {at, 10};
    ring.repeat_newest(2, 9);  // 18 at 13, 14, 23, 24 ... 93, 94
    ring.take();
    ring.take();
    ring.add() = {99, 0};
    return ring;
  };
  message_ring ring = filled();
  CHECK(ring.lasts(3) == 0);  // no whole cycles
  CHECK(ring.lasts(20) == 0);
  CHECK(ring.lasts(18) == 0);
  CHECK(ring.lasts(6) == 2);  // 18 are there, for three times 6
  for (std::size_t i = 0; i < 6; ++i) CHECK(ring.take().growth == 30);
  ring.leave_out(6, 2);
  CHECK(ring.is_plain());
  CHECK(ring.size() == 1);
  CHECK(ring.take().at == 99);
  message_ring slow = filled();
  CHECK(slow.lasts(2) == 8);
  CHECK(slow.take().at == 13);
  CHECK(slow.take().at == 14);
  slow.leave_out(2, 5);
  CHECK(slow.taken() == 2 + 2 + 10);
  CHECK(slow.take().at == 73);
}

}  // namespace message_ring_test
