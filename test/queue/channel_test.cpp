// SPDX-License-Identifier: BSL-1.0
// Everything that happens between two threads: random operations of both ends over every ring, way of waiting and
// capacity; every way to end, at every point of a transfer, with more threads than cores. IPUFLOW_STRESS_ITEMS says how
// much of it.
#include <ipuflow/queue/boost_ring.hpp>
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "oracle.hpp"

using namespace ipuflow::queue;
using oracle::dice;
using oracle::owner;

namespace {

// --- random operations
// -------------------------------------------------------------------------------------------------

/// Pushes `count` items that count up, in every way there is; most of the operations in a run are of one kind, so that
/// a run is as fast as that kind is.
template <class Producer>
void produce(Producer in, std::uint64_t count, std::uint64_t seed) {
  using item_type = typename Producer::value_type;
  dice roll{seed};
  std::uint64_t next = 0;
  while (next < count) {
    const std::size_t way = roll.below(4);
    const std::uint64_t stop = std::min<std::uint64_t>(count, next + 1 + roll.below(200));
    while (next < stop) {
      if (way == 0) next += in.push(item_type{next}) ? 1u : 0u;
      if (way == 1) next += in.try_push(item_type{next}) ? 1u : 0u;
      if (way >= 2) {
        const auto places = way == 2 ? in.reserve(stop - next) : in.try_reserve(stop - next);
        const std::size_t kept = places.size() < 2 ? places.size() : places.size() - roll.below(2);
        for (std::size_t i = 0; i < kept; ++i) places[i] = item_type{next++};
        in.commit(kept);
      }
      if (way == 1 || way == 3) std::this_thread::yield();  // where these may fail, waiting is up to the user
    }
  }
}

/// Pops until the end, in every way there is. How many came, if all of them came in order.
template <class Consumer>
std::uint64_t consume(Consumer out, std::uint64_t seed) {
  using item_type = typename Consumer::value_type;
  dice roll{seed};
  std::uint64_t next = 0;
  std::uint64_t wrong = 0;
  const auto expect = [&](const item_type& item) { wrong += oracle::value_of(item) == next++ ? 0u : 1u; };
  item_type into{0};
  while (!out.done()) {
    const std::size_t way = roll.below(6);
    const std::uint64_t stop = next + 1 + roll.below(200);
    while (next < stop && !out.done()) {
      if (way == 0 && out.pop(into)) expect(into);
      if (way == 1 && out.try_pop(into)) expect(into);
      if (way == 2) {
        if (const auto item = out.pop()) expect(*item);
      }
      if (way == 3) {
        if (const auto item = out.try_pop()) expect(*item);
      }
      if (way >= 4) {
        const auto items = way == 4 ? out.peek(stop - next) : out.try_peek(stop - next);
        const std::size_t kept = items.size() < 2 ? items.size() : items.size() - roll.below(2);
        for (std::size_t i = 0; i < kept; ++i) expect(items[i]);
        out.release(kept);
      }
      if (way == 1 || way == 3 || way == 5) std::this_thread::yield();
    }
  }
  return wrong == 0 ? next : 0;
}

template <class Ring, class Wait>
void transfer(std::size_t capacity, std::uint64_t count, std::uint64_t seed) {
  CAPTURE(capacity);
  auto [in, out] = make_channel<typename Ring::value_type, Ring, Wait>(capacity);
  std::thread producing{[&to = in, count, seed] { produce(std::move(to), count, seed); }};
  const std::uint64_t came = consume(std::move(out), seed + 1);
  producing.join();
  REQUIRE(came == count);
}

/// Spreads a number of items over all capacities. Through a small ring threads take turns every few items, which takes
/// its time where other programs run too, so it gets few; the largest get what is left.
template <class Ring, class Wait>
void transfers(std::uint64_t items) {
  constexpr std::uint64_t turns = 2000;
  std::uint64_t left = items;
  for (const std::size_t capacity : {1u, 2u, 3u, 7u, 64u, 100u, 1000u}) {
    const std::uint64_t some = std::min(items / 20 + 1, turns * capacity);
    transfer<Ring, Wait>(capacity, some, items + capacity);
    left -= std::min(left, some);
  }
  transfer<Ring, Wait>(1024, left / 2, items);
  transfer<Ring, Wait>(65536, left - left / 2, items + 1);
}

// --- every end at every point
// ------------------------------------------------------------------------------------------

enum class leaves { closes, stops, fails, is_destroyed, is_thrown_through };
enum class takes { all, some_then_stops, some_then_fails, some_then_is_destroyed };

template <class Producer>
std::uint64_t push_then_leave(Producer in, std::uint64_t count, leaves how) {
  std::uint64_t pushed = 0;
  try {
    while (pushed < count && in.push(owner{pushed})) ++pushed;
    if (how == leaves::closes) in.close();
    if (how == leaves::stops) in.stop();
    if (how == leaves::fails) in.fail(std::make_exception_ptr(std::runtime_error{"producer"}));
    if (how == leaves::is_thrown_through) throw std::out_of_range{"in a stage"};
  } catch (const std::domain_error&) {  // what the consumer failed with
  } catch (const std::out_of_range&) {
  }
  return pushed;
}

struct taken {
  std::uint64_t items = 0;
  bool in_order = true;
  bool thrown = false;
};

template <class Consumer>
taken pop_then_leave(Consumer out, std::uint64_t count, takes how) {
  taken got;
  try {
    while (how == takes::all || got.items < count) {
      const auto item = out.pop();
      if (!item) return got;
      got.in_order = got.in_order && item->value() == got.items;
      ++got.items;
    }
    if (how == takes::some_then_stops) out.stop();
    if (how == takes::some_then_fails) out.fail(std::make_exception_ptr(std::domain_error{"consumer"}));
  } catch (const std::runtime_error&) {
    got.thrown = true;
  }
  return got;
}

template <class Ring, class Wait>
bool ends_well(std::size_t capacity, std::uint64_t pushes, leaves left, std::uint64_t pops, takes took) {
  auto ends = make_channel<owner, Ring, Wait>(capacity);
  std::uint64_t pushed = 0;
  std::thread producing{[&] { pushed = push_then_leave(std::move(ends.in), pushes, left); }};
  const taken got = pop_then_leave(std::move(ends.out), pops, took);
  producing.join();
  const bool whole = left == leaves::closes || left == leaves::fails || left == leaves::is_destroyed;
  bool fine = got.in_order && got.items <= pushed && pushed <= pushes;
  if (took == takes::all) fine = fine && pushed == pushes;
  if (took == takes::all && whole) fine = fine && got.items == pushes && got.thrown == (left == leaves::fails);
  if (took != takes::all && whole && pops < pushes) fine = fine && got.items == pops;
  return fine;
}

template <class Ring, class Wait>
std::size_t bad_ends(std::size_t capacity) {
  std::size_t bad = 0;
  for (std::uint64_t pushes = 0; pushes <= capacity + 2; ++pushes) {
    for (const leaves left :
         {leaves::closes, leaves::stops, leaves::fails, leaves::is_destroyed, leaves::is_thrown_through}) {
      bad += ends_well<Ring, Wait>(capacity, pushes, left, 0, takes::all) ? 0u : 1u;
      for (std::uint64_t pops = 0; pops <= pushes; ++pops) {
        for (const takes took : {takes::some_then_stops, takes::some_then_fails, takes::some_then_is_destroyed}) {
          bad += ends_well<Ring, Wait>(capacity, pushes, left, pops, took) ? 0u : 1u;
        }
      }
    }
  }
  return bad;
}

}  // namespace

TEST_CASE("nothing is lost, doubled or out of order, whatever the ends do, the ring, the waiting and the capacity") {
  const std::uint64_t share = oracle::stress_items() / 100;
  using number = std::uint64_t;
  SUBCASE("ours") {
    transfers<spsc_ring<number>, spin_then_yield>(40 * share);
    transfers<spsc_ring<number>, block>(35 * share);
    if (std::thread::hardware_concurrency() > 1) transfer<spsc_ring<number>, spin>(65536, 10 * share, 1);
    transfers<spsc_ring<owner>, spin_then_yield>(2 * share);
    transfers<spsc_ring<owner>, block>(2 * share);
  }
  SUBCASE("Boost's") {
    transfers<boost_ring<number>, spin_then_yield>(6 * share);
    transfers<boost_ring<number>, block>(5 * share);
    transfers<boost_ring<owner>, block>(share);
  }
  SUBCASE("the deque that they are compared with") { transfers<oracle::deque_ring<number>, block>(share / 4); }
  CHECK(owner::alive == 0);
}

TEST_CASE("a transfer can end in every way at every point, with more threads than cores") {
  std::atomic<std::size_t> bad{0};
  std::vector<std::thread> threads;
  for (std::size_t capacity = 1; capacity <= 3; ++capacity) {
    threads.emplace_back([&bad, capacity] { bad += bad_ends<spsc_ring<owner>, spin_then_yield>(capacity); });
    threads.emplace_back([&bad, capacity] { bad += bad_ends<spsc_ring<owner>, block>(capacity); });
    threads.emplace_back([&bad, capacity] { bad += bad_ends<boost_ring<owner>, block>(capacity); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(bad == 0);
  CHECK(owner::alive == 0);
}

TEST_CASE_TEMPLATE("a chain of more threads than cores passes everything on", Wait, spin_then_yield, block) {
  constexpr std::size_t stages = 8;
  const std::uint64_t count = oracle::stress_items() / 2000;
  using ends = decltype(make_channel<std::uint64_t, spsc_ring<std::uint64_t>, Wait>(1));
  std::vector<ends> channels;
  for (std::size_t i = 0; i <= stages; ++i) {
    channels.push_back(make_channel<std::uint64_t, spsc_ring<std::uint64_t>, Wait>(16));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < stages; ++i) {
    threads.emplace_back([from = std::move(channels[i].out), to = std::move(channels[i + 1].in)]() mutable {
      for (const std::uint64_t item : from) to.push(item + 1);
    });
  }
  threads.emplace_back([first = std::move(channels[0].in), count]() mutable {
    for (std::uint64_t i = 0; i < count; ++i) first.push(i);
  });
  std::uint64_t next = 0;
  for (const std::uint64_t item : channels[stages].out) REQUIRE(item == next++ + stages);
  for (std::thread& thread : threads) thread.join();
  CHECK(next == count);
}

TEST_CASE("a channel lives as long as one of its ends") {
  std::optional<decltype(make_channel<owner>(1))> ends{make_channel<owner>(2)};
  {
    auto out = std::move(ends->out);
    CHECK(ends->in.push(owner{1}));
    ends.reset();
    CHECK(out.pop()->value() == 1);
    CHECK_FALSE(out.pop());
  }
  CHECK(owner::alive == 0);
}

TEST_CASE("an end can move to another thread between two items") {
  auto [in, out] = make_channel<int>(4);
  std::thread first{[&to = in] {
    for (int i = 0; i < 100; ++i) to.push(i);
  }};
  for (int i = 0; i < 100; ++i) CHECK(out.pop() == i);
  first.join();
  std::thread second{[end = std::move(in)]() mutable { end.push(100); }};
  CHECK(out.pop() == 100);
  CHECK(out.pop() == std::nullopt);
  second.join();
}
