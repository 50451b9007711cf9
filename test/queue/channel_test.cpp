// SPDX-License-Identifier: BSL-1.0
// Everything that happens between two threads: random operations of both ends over every ring, way of waiting and
// capacity; every way to end, at every point of a transfer, with more threads than cores. IPUFLOW_STRESS_ITEMS says how
// much of it.
#include <ipuflow/queue/boost_ring.hpp>
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "oracle.hpp"

namespace channel_test {

using namespace ipuflow::queue;
using oracle::dice;
using oracle::owner;

namespace {

// --- random operations
// -------------------------------------------------------------------------------------------------

/// A slot of a slot_ring: two cache lines that hold one number, so that a half-written one shows.
struct page {
  std::array<std::uint64_t, 16> words{};
};

void put(std::uint64_t& place, std::uint64_t value) { place = value; }
void put(owner& place, std::uint64_t value) { place = owner{value}; }
void put(page& place, std::uint64_t value) { place.words.fill(value); }

using oracle::value_of;
std::uint64_t value_of(const page& slot) {
  const bool whole = std::count(slot.words.begin(), slot.words.end(), slot.words[0]) == 16;
  return whole ? slot.words[0] : ~std::uint64_t{0};
}

/// Whether items move in and out; the slots of a slot_ring are only reserved and peeked at.
template <class End>
constexpr bool moves = false;
template <template <class> class End, class Channel>
constexpr bool moves<End<Channel>> = ring<typename Channel::ring_type>;

constexpr std::size_t capacities[] = {1, 2, 3, 7, 64, 100, 1000, 1024};

/// True for so long.
class while_there_is_time {
 public:
  explicit while_there_is_time(std::chrono::milliseconds time) : end_{std::chrono::steady_clock::now() + time} {}
  explicit operator bool() const { return std::chrono::steady_clock::now() < end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

/// How often the same operation is repeated at most: a run is as fast as most of its operations are.
std::size_t longest_repeat(std::uint64_t count) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(200, count / 8 + 1));
}

/// Pushes `count` items that count up, in every way there is.
template <class Producer>
void produce(Producer in, std::uint64_t count, std::uint64_t seed) {
  using item_type = typename Producer::value_type;
  dice roll{seed};
  std::uint64_t next = 0;
  while (next < count) {
    const std::size_t way = moves<Producer> ? roll.below(4) : 2 + roll.below(2);
    const std::uint64_t stop = std::min<std::uint64_t>(count, next + 1 + roll.below(longest_repeat(count)));
    while (next < stop) {
      const std::uint64_t before = next;
      if constexpr (moves<Producer>) {
        if (way == 0) next += in.push(item_type{next}) ? 1u : 0u;
        if (way == 1) next += in.try_push(item_type{next}) ? 1u : 0u;
      }
      if (way >= 2) {
        const auto places = way == 2 ? in.reserve(stop - next) : in.try_reserve(stop - next);
        const std::size_t kept = places.size() < 2 ? places.size() : places.size() - roll.below(2);
        for (std::size_t i = 0; i < kept; ++i) put(places[i], next++);
        in.commit(kept);
      }
      if (next == before) std::this_thread::yield();  // where this may fail, waiting is up to the user
    }
  }
}

/// Pops one item in the first four ways.
template <class Consumer, class Expect>
void consume_moved(Consumer& out, std::size_t way, Expect& expect) {
  typename Consumer::value_type into{0};
  if (way == 0 && out.pop(into)) expect(into);
  if (way == 1 && out.try_pop(into)) expect(into);
  if (way == 2) {
    if (const auto item = out.pop()) expect(*item);
  }
  if (way == 3) {
    if (const auto item = out.try_pop()) expect(*item);
  }
}

/// Pops until the end, in every way there is. How many came, if all of them came in order.
template <class Consumer>
std::uint64_t consume(Consumer out, std::uint64_t count, std::uint64_t seed) {
  using item_type = typename Consumer::value_type;
  dice roll{seed};
  std::uint64_t next = 0;
  std::uint64_t wrong = 0;
  const auto expect = [&](const item_type& item) { wrong += value_of(item) == next++ ? 0u : 1u; };
  while (!out.done()) {
    const std::size_t way = moves<Consumer> ? roll.below(6) : 4 + roll.below(2);
    const std::uint64_t stop = next + 1 + roll.below(longest_repeat(count));
    while (next < stop && !out.done()) {
      const std::uint64_t before = next;
      if constexpr (moves<Consumer>) consume_moved(out, way, expect);
      if (way >= 4) {
        const auto items = way == 4 ? out.peek(stop - next) : out.try_peek(stop - next);
        const std::size_t kept = items.size() < 2 ? items.size() : items.size() - roll.below(2);
        for (std::size_t i = 0; i < kept; ++i) expect(items[i]);
        out.release(kept);
      }
      if (next == before) std::this_thread::yield();
    }
  }
  return wrong == 0 ? next : 0;
}

template <class Ring, class Wait>
void transfer(std::size_t capacity, std::uint64_t count, std::uint64_t seed) {
  CAPTURE(capacity);
  auto [in, out] = make_channel<typename Ring::value_type, Ring, Wait>(capacity);
  std::thread producing{[&to = in, count, seed] { produce(std::move(to), count, seed); }};
  const std::uint64_t came = consume(std::move(out), count, seed + 1);
  producing.join();
  REQUIRE(came == count);
}

/// Spreads a number of items over all capacities. Through a small ring threads take turns every few items, which takes
/// its time where other programs run too, so it gets few; the largest get what is left.
template <class Ring, class Wait>
void transfers(std::uint64_t items) {
  constexpr std::uint64_t turns = 2000;
  std::uint64_t left = items;
  for (const std::size_t capacity : capacities) {
    const std::uint64_t some = std::min(left / 4 + 1, turns * capacity);
    transfer<Ring, Wait>(capacity, some, items + capacity);
    left -= std::min(left, some);
  }
  transfer<Ring, Wait>(65536, left, items + 1);
}

/// The same for ends that spin. One whose other end has no core spins for its whole slice of time, so a turn costs a
/// few nanoseconds or many milliseconds, as the machine is: there are as many short transfers as there is time for.
template <class Ring>
void spinning_transfers(std::uint64_t items) {
  constexpr std::uint64_t turns = 8;
  for (const std::size_t capacity : capacities) {
    const while_there_is_time time{std::chrono::milliseconds{100}};
    for (std::uint64_t seed = 0; seed < 200 && (seed == 0 || time); ++seed) {
      transfer<Ring, spin>(capacity, turns * capacity, seed);
    }
  }
  transfer<Ring, spin>(65536, items, items);
}

// --- every end at every point
// ------------------------------------------------------------------------------------------

enum class leaves { closes, stops, fails, is_destroyed, is_thrown_through };
enum class takes { all, some_then_stops, some_then_fails, some_then_is_destroyed };

/// One item in or out: moved where the ring can, otherwise in place.
template <class Producer>
bool give(Producer& in, std::uint64_t value) {
  if constexpr (moves<Producer>) {
    return in.push(owner{value});
  } else {
    const auto place = in.reserve();
    if (place.empty()) return false;
    put(place[0], value);
    in.commit();
    return true;
  }
}
template <class Consumer>
std::optional<std::uint64_t> take(Consumer& out) {
  if constexpr (moves<Consumer>) {
    const auto item = out.pop();
    return item ? std::optional{item->value()} : std::nullopt;
  } else {
    const auto slot = out.peek();
    if (slot.empty()) return std::nullopt;
    const std::uint64_t value = slot[0].value();
    out.release();
    return value;
  }
}

/// Leaves after `count` items; `midway` with one more reserved and filled, but not committed.
template <class Producer>
std::uint64_t push_then_leave(Producer in, std::uint64_t count, leaves how, bool midway) {
  std::uint64_t pushed = 0;
  try {
    while (pushed < count && give(in, pushed)) ++pushed;
    if (midway) {
      for (owner& place : in.try_reserve()) put(place, ~pushed);
    }
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

/// Leaves after `count` items; `midway` with one more looked at, but not released.
template <class Consumer>
taken pop_then_leave(Consumer out, std::uint64_t count, takes how, bool midway) {
  taken got;
  try {
    while (how == takes::all || got.items < count) {
      const auto item = take(out);
      if (!item) return got;
      got.in_order = got.in_order && *item == got.items;
      ++got.items;
    }
    if (midway) {
      for (const owner& item : out.try_peek()) got.in_order = got.in_order && item.value() == got.items;
    }
    if (how == takes::some_then_stops) out.stop();
    if (how == takes::some_then_fails) out.fail(std::make_exception_ptr(std::domain_error{"consumer"}));
  } catch (const std::runtime_error&) {
    got.thrown = true;
  }
  return got;
}

struct farewell {
  std::uint64_t pushes;
  leaves left;
  std::uint64_t pops;
  takes took;
  bool midway;
};

template <class Ring, class Wait>
bool ends_well(std::size_t capacity, const farewell& by) {
  auto ends = make_channel<owner, Ring, Wait>(capacity);
  std::uint64_t pushed = 0;
  std::thread producing{[&] { pushed = push_then_leave(std::move(ends.in), by.pushes, by.left, by.midway); }};
  const taken got = pop_then_leave(std::move(ends.out), by.pops, by.took, by.midway);
  producing.join();
  const bool whole = by.left == leaves::closes || by.left == leaves::fails || by.left == leaves::is_destroyed;
  bool fine = got.in_order && got.items <= pushed && pushed <= by.pushes;
  if (by.took == takes::all) fine = fine && pushed == by.pushes;
  if (by.took == takes::all && whole) fine = fine && got.items == by.pushes && got.thrown == (by.left == leaves::fails);
  if (by.took != takes::all && whole && by.pops < by.pushes) fine = fine && got.items == by.pops;
  return fine;
}

/// Every way to leave on both sides, after every number of items up to two more than fit.
std::vector<farewell> farewells(std::size_t capacity) {
  std::vector<farewell> all;
  for (std::uint64_t pushes = 0; pushes <= capacity + 2; ++pushes) {
    for (const leaves left :
         {leaves::closes, leaves::stops, leaves::fails, leaves::is_destroyed, leaves::is_thrown_through}) {
      for (const bool midway : {false, true}) {
        all.push_back({pushes, left, 0, takes::all, midway});
        for (std::uint64_t pops = 0; pops <= pushes; ++pops) {
          for (const takes took : {takes::some_then_stops, takes::some_then_fails, takes::some_then_is_destroyed}) {
            all.push_back({pushes, left, pops, took, midway});
          }
        }
      }
    }
  }
  return all;
}

/// How many of them go wrong.
template <class Ring, class Wait>
std::size_t bad_ends(std::size_t capacity) {
  std::size_t bad = 0;
  for (const farewell& by : farewells(capacity)) bad += ends_well<Ring, Wait>(capacity, by) ? 0u : 1u;
  return bad;
}

/// The same where both ends spin: a second's worth of them, which is all of them where both ends have a core.
template <class Ring>
std::size_t bad_spinning_ends(std::size_t capacity) {
  constexpr std::size_t stride = 97;  // a prime, so that a part of them is a little of everything
  const std::vector<farewell> all = farewells(capacity);
  const while_there_is_time time{std::chrono::seconds{1}};
  std::size_t bad = 0;
  for (std::size_t i = 0; i < all.size() && time; ++i) {
    bad += ends_well<Ring, spin>(capacity, all[i * stride % all.size()]) ? 0u : 1u;
  }
  return bad;
}

}  // namespace

TEST_CASE("nothing is lost, doubled or out of order, whatever the ends do, the ring, the waiting and the capacity") {
  const std::uint64_t share = oracle::stress_items() / 100;
  using number = std::uint64_t;
  SUBCASE("ours") {
    transfers<spsc_ring<number>, spin_then_yield>(40 * share);
    transfers<spsc_ring<number>, block>(32 * share);
    spinning_transfers<spsc_ring<number>>(10 * share);
    transfers<spsc_ring<owner>, spin_then_yield>(2 * share);
    transfers<spsc_ring<owner>, block>(share);
    spinning_transfers<spsc_ring<owner>>(share / 2);
  }
  SUBCASE("slots") {
    transfers<slot_ring<page>, spin_then_yield>(share);
    transfers<slot_ring<page>, block>(share);
    spinning_transfers<slot_ring<page>>(share / 2);
  }
  SUBCASE("Boost's") {
    transfers<boost_ring<number>, spin_then_yield>(6 * share);
    transfers<boost_ring<number>, block>(5 * share);
    spinning_transfers<boost_ring<number>>(share / 2);
    transfers<boost_ring<owner>, block>(share / 2);
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
    threads.emplace_back([&bad, capacity] { bad += bad_ends<slot_ring<owner>, spin_then_yield>(capacity); });
    threads.emplace_back([&bad, capacity] { bad += bad_ends<slot_ring<owner>, block>(capacity); });
    threads.emplace_back([&bad, capacity] { bad += bad_ends<boost_ring<owner>, block>(capacity); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(bad == 0);
  CHECK(owner::alive == 0);
}

TEST_CASE("the same where both ends spin, with a core for each and with more threads than cores") {
  std::atomic<std::size_t> bad{0};
  std::vector<std::thread> threads;
  for (std::size_t capacity = 1; capacity <= 3; ++capacity) {
    bad += bad_spinning_ends<spsc_ring<owner>>(capacity);
    bad += bad_spinning_ends<slot_ring<owner>>(capacity);
  }
  for (std::size_t capacity = 1; capacity <= 3; ++capacity) {
    threads.emplace_back([&bad, capacity] { bad += bad_spinning_ends<spsc_ring<owner>>(capacity); });
    threads.emplace_back([&bad, capacity] { bad += bad_spinning_ends<slot_ring<owner>>(capacity); });
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

}  // namespace channel_test
