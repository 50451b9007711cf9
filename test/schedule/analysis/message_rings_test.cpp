// SPDX-License-Identifier: BSL-1.0
// Messages come out in the order in which they went in, however many there are.
#include <ipuflow/schedule/analysis/message_rings.hpp>

#include <doctest/doctest.h>

#include <deque>

namespace message_rings_test {

using namespace ipuflow::schedule::impl;

TEST_CASE("a ring is a queue of any length") {
  message_rings rings{3};
  std::deque<std::size_t> expected[3];
  std::size_t next = 0, state = 1;
  for (int i = 0; i < 6000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::size_t link = state % 3;
    if (state >> 63 == 0 || expected[link].empty()) {
      rings.add<true>(link, {10 * next, next});
      expected[link].push_back(next++);
    } else {
      CHECK(rings.take<true>(link) == growing_time{10 * expected[link].front(), expected[link].front()});
      expected[link].pop_front();
    }
    REQUIRE(rings.size(link) == expected[link].size());
    CHECK(rings.empty(link) == expected[link].empty());
    for (std::size_t k = 0; k < expected[link].size(); ++k) CHECK(rings.time(rings.place(link, k)) == 10 * expected[link][k]);
  }
}

TEST_CASE("a queue that stays short stays where it is") {
  message_rings rings{2};
  rings.add<false>(1, {0, 0});
  std::uint32_t last = 0;
  for (std::size_t round = 0; round < 100; ++round) {
    rings.add<false>(1, {round + 1, 0});
    last = rings.place(1, 1) > last ? rings.place(1, 1) : last;
    CHECK(rings.take<false>(1).at == round);
    CHECK(rings.size(1) == 1);
  }
  CHECK(last < 8);  // two links of four places
}

TEST_CASE("messages that a cycle repeats come out as if each had been put in") {
  message_rings ring{2};
  std::deque<growing_time> expected;
  std::size_t taken = 0;
  const auto add = [&](const growing_time& made) {
    ring.add<true>(1, made);
    expected.push_back(made);
  };
  const auto take = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(ring.size(1) == expected.size());
      CHECK(ring.take<true>(1).at == expected.front().at);
      expected.pop_front();
      CHECK(ring.taken(1) == ++taken);
    }
  };
  const auto repeat = [&](std::size_t messages, std::size_t cycles) {
    ring.repeat_newest(1, messages, cycles);
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
  CHECK_FALSE(ring.is_plain(1));
  take(5);
  add({110, 0});
  take(expected.size());
  CHECK(ring.is_plain(1));
  CHECK(ring.size(1) == 0);
}

TEST_CASE("cycles that are left out leave what taking would leave, for as long as messages are at equal distances") {
  const auto filled = [] {
    message_rings ring{2};
    for (const std::size_t at : {3u, 4u}) ring.add<true>(1, {at, 10});
    ring.repeat_newest(1, 2, 9);  // 18 at 13, 14, 23, 24 ... 93, 94
    ring.take<true>(1);
    ring.take<true>(1);
    ring.add<true>(1, {99, 0});
    return ring;
  };
  message_rings ring = filled();
  CHECK(ring.lasts(1, 3) == 0);  // no whole cycles
  CHECK(ring.lasts(1, 20) == 0);
  CHECK(ring.lasts(1, 18) == 0);
  CHECK(ring.lasts(1, 6) == 2);  // 18 are there, for three times 6
  for (std::size_t i = 0; i < 6; ++i) CHECK(ring.take<true>(1).growth == 30);
  ring.leave_out(1, 6, 2);
  CHECK(ring.is_plain(1));
  CHECK(ring.size(1) == 1);
  CHECK(ring.take<true>(1).at == 99);
  message_rings slow = filled();
  CHECK(slow.lasts(1, 2) == 8);
  CHECK(slow.take<true>(1).at == 13);
  CHECK(slow.take<true>(1).at == 14);
  slow.leave_out(1, 2, 5);
  CHECK(slow.taken(1) == 2 + 2 + 10);
  CHECK(slow.take<true>(1).at == 73);
}

}  // namespace message_rings_test
