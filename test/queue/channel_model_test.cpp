// SPDX-License-Identifier: BSL-1.0
// A channel between two threads that block: every interleaving and every stale value of closing, stopping and failing,
// with the very source that runs in production. A lost wake shows as a deadlock. Each memory order is weakened in turn.
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "memory_model.hpp"

namespace channel_model_test {

using namespace ipuflow::queue;
using memory_model::atomics;
using memory_model::counted_checks;
using memory_model::item;
using memory_model::log;

namespace {

using blocking = basic_block<atomics, 1>;
template <class Ring>
using small_channel = channel<Ring, blocking, no_statistics, atomics>;
using single_items = small_channel<spsc_ring<item, atomics>>;
using large_slots = small_channel<slot_ring<item, atomics>>;

template <class Channel>
struct world {
  std::shared_ptr<Channel> shared;
  producer<Channel> in;
  consumer<Channel> out;

  explicit world(std::size_t capacity) : shared{std::make_shared<Channel>(capacity)}, in{shared}, out{shared} {}
  std::span<const item> slots() const {
    return {shared->ring.peek(0).data(), std::bit_ceil(shared->ring.capacity())};
  }
};

enum class ending : std::uint8_t { close, stop, fail };

/// In a log, after what was pushed or popped: what the thread learnt of the other's end.
constexpr std::uint64_t was_over = 100;
constexpr std::uint64_t threw_nothing = 101;  // an exception was announced but not seen
constexpr std::uint64_t threw = 102;

template <class Channel>
bool put(producer<Channel>& in, std::uint64_t value) {
  if constexpr (ring<typename Channel::ring_type>) {
    return in.push(item{value});
  } else {
    const std::span<item> place = in.reserve();
    if (place.empty()) return false;
    place.front().set(value);
    in.commit();
    return true;
  }
}

/// The next item, or nothing; 0 is no item.
template <class Channel>
std::uint64_t get(consumer<Channel>& out) {
  if constexpr (ring<typename Channel::ring_type>) {
    const auto next = out.pop();
    return next ? next->get() : 0;
  } else {
    const std::span<item> next = out.peek();
    if (next.empty()) return 0;
    const std::uint64_t value = next.front().get();
    out.release();
    return value;
  }
}

template <class End>
void end_by(ending how, End& end) {
  if (how == ending::close) return;  // its destructor's
  if (how == ending::stop) end.stop();
  if (how == ending::fail) end.fail(std::make_exception_ptr(0));
}

/// Pushes 1, 2, ... and ends.
template <class Channel>
log produce(world<Channel>& w, std::uint64_t count, ending how) {
  producer<Channel> in = std::move(w.in);
  log pushed;
  try {
    for (std::uint64_t i = 1; i <= count; ++i) {
      if (!put(in, i)) {
        pushed.push_back(was_over);
        return pushed;
      }
      pushed.push_back(i);
    }
    end_by(how, in);
  } catch (const memory_model::left_error& error) {
    pushed.push_back(threw_nothing + error.mark);
  }
  return pushed;
}

/// Pops as many and ends, or stops at the end of the stream.
template <class Channel>
log consume(world<Channel>& w, std::size_t most, ending how) {
  consumer<Channel> out = std::move(w.out);
  log popped;
  try {
    while (popped.size() < most) {
      const std::uint64_t next = get(out);
      if (next == 0) {
        popped.push_back(was_over);
        return popped;
      }
      popped.push_back(next);
    }
    end_by(how, out);
  } catch (const memory_model::left_error& error) {
    popped.push_back(threw_nothing + error.mark);
  }
  return popped;
}

constexpr std::size_t place_of_end = 2;  // after both sides of the ring

template <class Channel>
auto two_threads(std::size_t capacity, std::uint64_t pushes, ending first, std::size_t pops, ending second,
                 std::function<bool(const log&, const log&)> fine) {
  return memory_model::explorer<world<Channel>>{
      [=] { return world<Channel>{capacity}; },
      {[=](world<Channel>& w) { return produce(w, pushes, first); },
       [=](world<Channel>& w) { return consume(w, pops, second); }},
      [=](const std::vector<log>& results) { return fine(results[0], results[1]); },
      {{place_of_end, endings::bit(how_ended::producer_stopped)}}};
}

/// Items in order from 1, then what is said at the end.
bool is_items_then(const log& got, std::size_t items, const log& end) {
  if (got.size() != items + end.size()) return false;
  for (std::size_t i = 0; i < items; ++i) {
    if (got[i] != i + 1) return false;
  }
  return std::equal(end.begin(), end.end(), got.begin() + static_cast<std::ptrdiff_t>(items));
}
std::size_t items_of(const log& got) {
  return static_cast<std::size_t>(std::count_if(got.begin(), got.end(), [](auto n) { return n < was_over; }));
}

constexpr std::size_t endless = 9;

/// Closed after the last item, which the consumer gets, and all before it.
template <class Channel>
void check_closing(counted_checks& checks, std::size_t capacity) {
  checks.run(two_threads<Channel>(capacity, 2, ending::close, endless, ending::close,
                                  [](const log& pushed, const log& popped) {
                                    return is_items_then(pushed, 2, {}) && is_items_then(popped, 2, {was_over});
                                  }));
}
/// Failed after the last item: the consumer gets all, then the exception.
template <class Channel>
void check_failing(counted_checks& checks, std::size_t capacity) {
  checks.run(two_threads<Channel>(capacity, 1, ending::fail, endless, ending::close,
                                  [](const log& pushed, const log& popped) {
                                    return is_items_then(pushed, 1, {}) && is_items_then(popped, 1, {threw});
                                  }));
}
/// Stopped by the producer: the consumer gets some of the items, and comes to an end.
template <class Channel>
void check_stopping(counted_checks& checks, std::size_t capacity) {
  checks.run(two_threads<Channel>(capacity, 1, ending::stop, endless, ending::close,
                                  [](const log& pushed, const log& popped) {
                                    return is_items_then(pushed, 1, {}) && items_of(popped) <= 1 &&
                                           is_items_then(popped, items_of(popped), {was_over});
                                  }));
}
/// The consumer is gone after an item: the producer, which may wait for room, learns it or was done before.
template <class Channel>
void check_leaving(counted_checks& checks, std::size_t capacity) {
  checks.run(two_threads<Channel>(
      capacity, capacity + 2, ending::close, 1, ending::close, [=](const log& pushed, const log& popped) {
        const std::size_t items = items_of(pushed);
        return is_items_then(popped, 1, {}) && items >= 1 && items <= capacity + 1 &&
               is_items_then(pushed, items, {was_over});
      }));
}
/// The consumer fails at once: the producer, which may wait for room, gets the exception.
template <class Channel>
void check_consumer_failing(counted_checks& checks, std::size_t capacity) {
  checks.run(two_threads<Channel>(capacity, capacity + 1, ending::close, 0, ending::fail,
                                  [=](const log& pushed, const log& popped) {
                                    const std::size_t items = items_of(pushed);
                                    return popped.empty() && items <= capacity &&
                                           is_items_then(pushed, items, {threw});
                                  }));
}

/// The consumer leaves while the producer fails.
template <class Channel>
void check_both_ending(counted_checks& checks, std::size_t capacity) {
  checks.run(two_threads<Channel>(capacity, 1, ending::fail, 0, ending::close,
                                  [=](const log& pushed, const log& popped) {
                                    return popped.empty() && (pushed == log{1} || pushed == log{was_over});
                                  }));
}

template <class Channel>
counted_checks check_all() {
  counted_checks checks;
  for (std::size_t capacity = 1; capacity <= 2; ++capacity) {
    check_closing<Channel>(checks, capacity);
    check_failing<Channel>(checks, capacity);
    check_stopping<Channel>(checks, capacity);
    check_leaving<Channel>(checks, capacity);
    check_consumer_failing<Channel>(checks, capacity);
    check_both_ending<Channel>(checks, capacity);
  }
  return checks;
}

}  // namespace

TEST_CASE_TEMPLATE("a channel that blocks is right in every execution of small programs, and its memory orders are needed",
                   Channel, single_items, large_slots) {
  const auto orders = memory_model::weaken_in_turn(check_all<Channel>);
  const auto& checks = orders.with_all;
  CHECK(checks.hold);
  CHECK(checks.executions > 1000);
  CHECK(orders.all == 10);
  CHECK(orders.not_needed == std::vector<std::string>{});
  for (const std::string& text : orders.not_needed) MESSAGE("holds without: ", text);
  const std::string name = ring<typename Channel::ring_type> ? "channel of spsc_ring" : "channel of slot_ring";
  MESSAGE(name, ": ", checks.executions, " executions, ", checks.states, " states, ", orders.all,
          " memory orders weakened in turn");
}

}  // namespace channel_model_test
