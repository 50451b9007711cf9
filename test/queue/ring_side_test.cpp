// SPDX-License-Identifier: BSL-1.0
// The algorithm of the rings, checked over every interleaving and every stale value on small instances, with the very
// source that runs in production; and that the check notices when any one of the four memory orders is left out.
#include <ipuflow/queue/ring_side.hpp>
#include <ipuflow/queue/spsc_ring.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>

#include "memory_model.hpp"

namespace ring_side_test {

using namespace ipuflow::queue;
using memory_model::item;
using memory_model::join;
using memory_model::log;
using memory_model::weakened;

namespace {

template <weakened Order>
using chips_ring = spsc_ring<item, memory_model::atomics<Order>>;

template <class Ring>
log push_tries(Ring& ring, std::uint64_t tries) {
  log pushed;
  for (std::uint64_t i = 0; i < tries; ++i) {
    if (ring.try_push(item{pushed.size() + 1})) pushed.push_back(pushed.size() + 1);
  }
  return pushed;
}

/// As many items as fit up to `count`, in place.
template <class Ring>
void push_span(Ring& ring, std::size_t count, log& pushed) {
  const auto span = ring.reserve(count);
  std::uint64_t next = pushed.size() + 1;
  for (item& slot : span) slot.set(next++);
  ring.commit(span.size());
  for (std::size_t i = 0; i < span.size(); ++i) pushed.push_back(pushed.size() + 1);
}

template <class Ring>
void pop_tries(Ring& ring, std::size_t tries, log& popped) {
  for (std::size_t i = 0; i < tries; ++i) {
    if (const auto got = ring.try_pop()) popped.push_back(got->get());
  }
}

template <class Ring>
void pop_span(Ring& ring, std::size_t count, log& popped) {
  const auto span = ring.peek(count);
  for (const item& slot : span) popped.push_back(slot.get());
  ring.release(span.size());
}

bool is_prefix(const log& part, const log& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// The consumer finds everything once the producer is over, though the producer makes no call after its last push.
template <weakened Order>
auto nothing_is_stranded(std::size_t capacity, std::uint64_t pushes, std::size_t pops) {
  using ring = chips_ring<Order>;
  return memory_model::explorer<ring>{capacity, [=](ring& r) { return push_tries(r, pushes); },
                                      [=](ring& r) {
                                        log popped;
                                        pop_tries(r, pops, popped);
                                        join();
                                        pop_tries(r, capacity + 1, popped);
                                        return popped;
                                      },
                                      [](const log& pushed, const log& popped) { return pushed == popped; }};
}

/// The producer finds every free slot once the consumer is over.
template <weakened Order>
auto no_slot_is_lost(std::size_t capacity, std::uint64_t pushes, std::size_t pops) {
  using ring = chips_ring<Order>;
  return memory_model::explorer<ring>{
      capacity,
      [=](ring& r) {
        log pushed = push_tries(r, pushes);
        join();
        log room{pushed.size()};
        while (room.size() <= capacity + 1 && r.try_push(item{1})) room.push_back(1);
        return room;
      },
      [=](ring& r) {
        log popped;
        pop_tries(r, pops, popped);
        return popped;
      },
      [=](const log& room, const log& popped) { return room[0] - popped.size() + room.size() - 1 == capacity; }};
}

template <weakened Order>
auto spans_hand_over_in_order(std::size_t capacity, std::size_t rounds) {
  using ring = chips_ring<Order>;
  return memory_model::explorer<ring>{capacity,
                                      [=](ring& r) {
                                        log pushed;
                                        for (std::size_t i = 0; i < rounds; ++i) push_span(r, 2, pushed);
                                        return pushed;
                                      },
                                      [=](ring& r) {
                                        log popped;
                                        for (std::size_t i = 0; i < rounds; ++i) pop_span(r, 2, popped);
                                        return popped;
                                      },
                                      [](const log& pushed, const log& popped) { return is_prefix(popped, pushed); }};
}

template <weakened Order>
bool holds_everywhere() {
  bool holds = true;
  for (std::size_t capacity = 1; capacity <= 2; ++capacity) {
    holds = holds && nothing_is_stranded<Order>(capacity, 4, 3).holds();
    holds = holds && no_slot_is_lost<Order>(capacity, 3, 3).holds();
    holds = holds && spans_hand_over_in_order<Order>(capacity, 3).holds();
  }
  return holds;
}

}  // namespace

TEST_CASE("the ring is right in every execution of small programs") {
  for (std::size_t capacity = 1; capacity <= 2; ++capacity) {
    auto check = nothing_is_stranded<weakened::none>(capacity, 4, 3);
    CHECK(check.holds());
    MESSAGE("capacity ", capacity, ": ", check.states(), " states, ", check.executions(), " ends");
    CHECK(check.executions() > 10);
    CHECK(no_slot_is_lost<weakened::none>(capacity, 3, 3).holds());
    CHECK(spans_hand_over_in_order<weakened::none>(capacity, 3).holds());
  }
}

TEST_CASE("each of the four memory orders is needed, and the check knows it") {
  CHECK(holds_everywhere<weakened::none>());
  CHECK_FALSE(holds_everywhere<weakened::tail_store>());
  CHECK_FALSE(holds_everywhere<weakened::tail_load>());
  CHECK_FALSE(holds_everywhere<weakened::head_store>());
  CHECK_FALSE(holds_everywhere<weakened::head_load>());
}

TEST_CASE("a side follows the other one at its lead") {
  for (std::size_t capacity : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{1000}}) {
    ring_side<> producer{capacity, capacity};
    ring_side<> consumer{0, capacity};
    CHECK(producer.ready(consumer, capacity) == capacity);
    CHECK_FALSE(consumer.ready(producer));
    for (std::size_t i = 0; i < 3 * capacity; ++i) {
      CHECK(producer.ready(consumer));
      producer.advance(1);
      if (i + 1 >= capacity) {
        CHECK_FALSE(producer.ready(consumer));
        CHECK(consumer.ready(producer, capacity) == capacity);
        consumer.advance(1);
      }
      CHECK(producer.position() - consumer.position() <= capacity);
    }
  }
}

}  // namespace ring_side_test
