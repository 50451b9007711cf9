// SPDX-License-Identifier: BSL-1.0
// The algorithm of the rings, checked over every interleaving and every stale value on small instances, with the very
// source that runs in production; and that the check notices when any one of the four memory orders is left out.
#include <ipuflow/queue/ring_side.hpp>
#include <ipuflow/queue/slot_ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory_model.hpp"

namespace ring_side_test {

using namespace ipuflow::queue;
using memory_model::counted_checks;
using memory_model::item;
using memory_model::join;
using memory_model::log;
using single_items = spsc_ring<item, memory_model::atomics>;
using large_slots = slot_ring<item, memory_model::atomics>;

namespace {

template <class Ring>
struct world {
  std::unique_ptr<Ring> ring;
  std::span<const item> slots() const { return {ring->peek(0).data(), std::bit_ceil(ring->capacity())}; }
};

/// Producer and consumer at a ring; the verdict gets what each returned.
template <class Ring>
auto at_ring(std::size_t capacity, std::function<log(Ring&)> producer, std::function<log(Ring&)> consumer,
             std::function<bool(const log&, const log&)> fine) {
  return memory_model::explorer<world<Ring>>{
      [=] { return world<Ring>{std::make_unique<Ring>(capacity)}; },
      {[=](world<Ring>& w) { return producer(*w.ring); }, [=](world<Ring>& w) { return consumer(*w.ring); }},
      [=](const std::vector<log>& results) { return fine(results[0], results[1]); }};
}

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

/// The consumer finds everything once the producer is over, though the producer makes no call after its last push.
auto nothing_is_stranded(std::size_t capacity, std::uint64_t pushes, std::size_t pops) {
  return at_ring<single_items>(
      capacity, [=](auto& r) { return push_tries(r, pushes); },
      [=](auto& r) {
        log popped;
        pop_tries(r, pops, popped);
        join();
        pop_tries(r, capacity + 1, popped);
        return popped;
      },
      [](const log& pushed, const log& popped) { return pushed == popped; });
}

/// The producer finds every free slot once the consumer is over.
auto no_slot_is_lost(std::size_t capacity, std::uint64_t pushes, std::size_t pops) {
  return at_ring<single_items>(
      capacity,
      [=](auto& r) {
        log pushed = push_tries(r, pushes);
        join();
        log room{pushed.size()};
        while (room.size() <= capacity + 1 && r.try_push(item{1})) room.push_back(1);
        return room;
      },
      [=](auto& r) {
        log popped;
        pop_tries(r, pops, popped);
        return popped;
      },
      [=](const log& room, const log& popped) { return room[0] - popped.size() + room.size() - 1 == capacity; });
}

template <class Ring>
auto spans_hand_over_in_order(std::size_t capacity, std::size_t rounds) {
  return at_ring<Ring>(
      capacity,
      [=](auto& r) {
        log pushed;
        for (std::size_t i = 0; i < rounds; ++i) push_span(r, 2, pushed);
        return pushed;
      },
      [=](auto& r) {
        log popped;
        for (std::size_t i = 0; i < rounds; ++i) pop_span(r, 2, popped);
        join();
        for (std::size_t i = 0; i < 2; ++i) pop_span(r, 2, popped);
        return popped;
      },
      [](const log& pushed, const log& popped) { return popped == pushed; });
}

counted_checks check_single_items() {
  counted_checks checks;
  for (std::size_t capacity = 1; capacity <= 2; ++capacity) {
    checks.run(nothing_is_stranded(capacity, 4, 3));
    checks.run(no_slot_is_lost(capacity, 3, 3));
    checks.run(spans_hand_over_in_order<single_items>(capacity, 3));
  }
  return checks;
}

counted_checks check_large_slots() {
  counted_checks checks;
  for (std::size_t capacity = 1; capacity <= 2; ++capacity) {
    checks.run(spans_hand_over_in_order<large_slots>(capacity, 3));
  }
  return checks;
}

void say(const std::string& structure, const counted_checks& checks, const memory_model::needed_orders& orders) {
  MESSAGE(structure, ": ", checks.executions, " executions, ", checks.states, " states, ", orders.all,
          " memory orders weakened in turn");
}

}  // namespace

TEST_CASE("spsc_ring is right in every execution of small programs, and each of its memory orders is needed") {
  const auto orders = memory_model::weaken_in_turn(check_single_items);
  const auto& checks = orders.with_all;
  CHECK(checks.hold);
  CHECK(checks.executions > 100);
  CHECK(orders.all == 4);
  CHECK(orders.not_needed == std::vector<std::string>{});
  say("spsc_ring", checks, orders);
}

TEST_CASE("slot_ring is right in every execution of small programs, and each of its memory orders is needed") {
  const auto orders = memory_model::weaken_in_turn(check_large_slots);
  const auto& checks = orders.with_all;
  CHECK(checks.hold);
  CHECK(checks.executions > 100);
  CHECK(orders.all == 4);
  CHECK(orders.not_needed == std::vector<std::string>{});
  say("slot_ring", checks, orders);
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
