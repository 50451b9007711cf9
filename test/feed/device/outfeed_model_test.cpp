// SPDX-License-Identifier: BSL-1.0
// Results on their way from a device to its host, with the very source that runs in production: every interleaving and
// every stale value while a reader follows, comes late, leaves, or only looks now and then. A lost wake shows as a
// deadlock, a result lost or out of order in what the host got. Each memory order is weakened in turn.
#include <ipuflow/feed/device/outfeed_buffer.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "instrumented.hpp"
#include "queue/memory_model.hpp"

namespace outfeed_model_test {

using namespace ipuflow;
using memory_model::counted_checks;
using memory_model::item;
using memory_model::log;

namespace {

/// A ring that says where its slots are.
struct ring_in_sight : queue::spsc_ring<item, memory_model::atomics> {
  static inline ring_in_sight* newest = nullptr;
  explicit ring_in_sight(std::size_t capacity) : spsc_ring{capacity} { newest = this; }
};

struct parts : memory_model::atomics {
  template <class T>
  using ring = ring_in_sight;
  template <class T>
  using kept_items = memory_model::plain_deque<T>;
  using block = queue::basic_block<memory_model::atomics, 1>;
  using mutex = memory_model::mutex;
};
using small_buffer = feed::outfeed_buffer<item, parts>;

struct world {
  std::unique_ptr<small_buffer> buffer;
  memory_model::plain_number place{};  // stands for what a reader knows of the ring: one after the other may touch it

  world(std::size_t depth, bool followed) : buffer{std::make_unique<small_buffer>(depth)} { buffer->follow(followed); }
  std::span<const item> slots() const {
    return {ring_in_sight::newest->peek(0).data(), std::bit_ceil(ring_in_sight::newest->capacity())};
  }
};

/// The device: puts 1, 2, ... and closes, or leaves the buffer open.
auto device(std::uint64_t count, bool closes) {
  return [=](world& w) {
    for (std::uint64_t i = 1; i <= count; ++i) w.buffer->put(item{i});
    if (closes) w.buffer->close();
    return log{};
  };
}

bool add_to(log& got, const std::optional<item>& next) {
  if (next) got.push_back(next->get());
  return next.has_value();
}

/// All that is left once the device is done.
log with_rest(world& w, log got) {
  memory_model::join();
  while (add_to(got, w.buffer->try_take())) {
  }
  return got;
}

// After both counts of the ring and the two places to wait at.
constexpr std::size_t place_of_followed = 4;
constexpr std::size_t place_of_closed = 5;
constexpr std::size_t place_of_kept = 6;

/// The host gets 1, 2, ... in order, whatever happens.
auto host_gets_all(std::size_t depth, bool followed, std::uint64_t count, bool closes,
                   std::function<log(world&)> host) {
  return memory_model::explorer<world>{[=] { return world{depth, followed}; },
                                       {device(count, closes), std::move(host)},
                                       [=](const std::vector<log>& results) {
                                         const log& got = results[1];
                                         if (got.size() != count) return false;
                                         for (std::size_t i = 0; i < count; ++i) {
                                           if (got[i] != i + 1) return false;
                                         }
                                         return true;
                                       },
                                       {{place_of_followed, 0}, {place_of_closed, 1}, {place_of_kept, 0}}};
}

/// A reader follows from the start until the buffer is closed: the device waits for it where it has to.
log follow_to_the_end(world& w) {
  log got;
  while (add_to(got, w.buffer->take())) {
  }
  return got;
}

/// A reader comes while the device runs: what was kept by then comes first.
log follow_late(world& w) {
  w.buffer->follow(true);
  return follow_to_the_end(w);
}

/// A reader leaves, also while the device waits for it.
log leave(world& w, std::size_t after) {
  log got;
  while (got.size() < after && add_to(got, w.buffer->take())) {
  }
  w.buffer->follow(false);
  return with_rest(w, std::move(got));
}

/// The host looks now and then and never waits.
log look(world& w, std::size_t times) {
  log got;
  for (std::size_t i = 0; i < times; ++i) add_to(got, w.buffer->try_take());
  return with_rest(w, std::move(got));
}

/// A reader comes once another one, on another thread, has left: it goes on where that one was in the ring.
auto readers_take_turns() {
  return memory_model::explorer<world>{[] { return world{1, true}; },
                                       {[](world& w) {
                                          w.place.set(1);
                                          w.buffer->follow(false);
                                          return log{};
                                        },
                                        [](world& w) {
                                          if (!w.buffer->followed()) w.place.set(2);
                                          return log{};
                                        }},
                                       [](const std::vector<log>&) { return true; }};
}

counted_checks check_all() {
  counted_checks checks;
  checks.run(readers_take_turns());
  for (std::size_t depth = 1; depth <= 2; ++depth) {
    checks.run(host_gets_all(depth, false, depth + 2, false, [](world& w) { return look(w, 2); }));
    checks.run(host_gets_all(depth, true, depth + 1, false, [](world& w) { return leave(w, 0); }));
    checks.run(host_gets_all(depth, true, depth + 2, true, [](world& w) { return leave(w, 1); }));
  }
  checks.run(host_gets_all(1, true, 2, true, follow_to_the_end));
  checks.run(host_gets_all(1, false, 2, true, follow_late));
  return checks;
}

}  // namespace

TEST_CASE("an outfeed loses and reorders no result in any execution of small programs, and its memory orders are needed") {
  const auto orders =  // under sanitizers models of queue/ alone weaken them
      test::is_instrumented ? memory_model::needed_orders{check_all()} : memory_model::weaken_in_turn(check_all);
  const auto& checks = orders.with_all;
  CHECK(checks.hold);
  CHECK(checks.executions > 1000);
  if (test::is_instrumented) return;
  CHECK(orders.all == 12);
  CHECK(orders.not_needed == std::vector<std::string>{});
  for (const std::string& text : orders.not_needed) MESSAGE("holds without: ", text);
  MESSAGE("outfeed_buffer: ", checks.executions, " executions, ", checks.states, " states, ", orders.all,
          " memory orders weakened in turn");
}

}  // namespace outfeed_model_test
