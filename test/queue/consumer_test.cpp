// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/consumer.hpp>
#include <ipuflow/queue/slot_ring.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <iterator>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "oracle.hpp"

namespace consumer_test {

using namespace ipuflow::queue;
using ends = decltype(make_channel<int>(1));

static_assert(!std::is_copy_constructible_v<decltype(ends::out)> && !std::is_copy_assignable_v<decltype(ends::out)>);
static_assert(std::is_nothrow_move_constructible_v<decltype(ends::out)>);
static_assert(std::ranges::input_range<decltype(ends::out)>);

TEST_CASE("an item pushed is there at the next look, with no further call of the producer") {
  for (std::size_t capacity = 1; capacity < 300; capacity += 7) {
    auto [in, out] = make_channel<std::size_t>(capacity);
    for (std::size_t i = 0; i < 3 * capacity; ++i) {
      REQUIRE(in.try_push(i));
      std::size_t got = 0;
      REQUIRE(out.try_pop(got));
      REQUIRE(got == i);
      REQUIRE_FALSE(out.try_pop(got));
    }
  }
}

TEST_CASE("nothing to pop is either not yet or never again, and done tells which") {
  auto [in, out] = make_channel<int>(2);
  int item = 0;
  CHECK(out.try_pop() == std::nullopt);
  CHECK_FALSE(out.try_pop(item));
  CHECK(out.try_peek().empty());
  CHECK_FALSE(out.done());
  CHECK(in.push(1));
  in.close();
  CHECK_FALSE(out.done());
  CHECK(out.try_pop() == 1);
  CHECK(out.done());
  CHECK(out.pop() == std::nullopt);
  CHECK_FALSE(out.pop(item));
  CHECK(out.peek().empty());
  CHECK_FALSE(out.stopped());
}

TEST_CASE("a stream that is stopped ends at once, with items in it") {
  auto [in, out] = make_channel<oracle::owner>(2);
  CHECK(in.push(oracle::owner{1}));
  in.stop();
  CHECK(out.done());
  CHECK(out.stopped());
  CHECK_FALSE(out.pop());
  CHECK(out.peek().empty());
}

TEST_CASE("what the producer failed with is thrown after its last item, every time") {
  auto [in, out] = make_channel<int>(4);
  CHECK(in.push(1));
  in.fail(std::make_exception_ptr(std::runtime_error{"broken"}));
  in.fail(std::make_exception_ptr(std::runtime_error{"too late"}));
  int item = 0;
  CHECK(out.pop(item));
  CHECK(item == 1);
  CHECK_THROWS_WITH(out.pop(), "broken");
  CHECK_THROWS_WITH((void)out.try_pop(), "broken");
  CHECK_THROWS_WITH(out.pop(item), "broken");
  CHECK_THROWS_WITH((void)out.peek(), "broken");
  CHECK_THROWS_WITH(out.begin(), "broken");
  out.stop();
  CHECK(out.pop() == std::nullopt);
}

TEST_CASE("a consumer is a range, of things that only move too") {
  auto [in, out] = make_channel<oracle::owner>(8);
  for (std::uint64_t i = 0; i < 8; ++i) CHECK(in.push(oracle::owner{i}));
  in.close();
  std::vector<oracle::owner> got;
  for (auto&& item : out) got.push_back(std::move(item));
  for (std::uint64_t i = 0; i < 8; ++i) CHECK(got[i].value() == i);
  CHECK(got.size() == 8);
}

TEST_CASE("some means at least one, in place or moved out") {
  auto [in, out] = make_channel<int>(8);
  std::thread pushing{[&to = in] {
    for (int i = 0; i < 1000; ++i) CHECK(to.push(i));
    to.close();
  }};
  std::array<int, 5> some{};
  int next = 0;
  while (const std::size_t got = out.pop_some(some)) {
    for (std::size_t i = 0; i < got; ++i) CHECK(some[i] == next++);
  }
  CHECK(next == 1000);
  pushing.join();
}

/// Throws when it is moved out of the queue, as long as it is broken.
struct fragile {
  int number = 0;
  bool breaks = false;

  fragile() = default;
  fragile(int n, bool breaks_then) : number{n}, breaks{breaks_then} {}
  fragile(fragile&&) = default;
  fragile& operator=(fragile&& other) {
    if (other.breaks) throw other.number;
    number = other.number;
    return *this;
  }
};

TEST_CASE("an item that throws when it is moved leaves those before it given, and itself and those behind it in the queue") {
  for (const int breaking : {0, 1, 3}) {
    auto [in, out] = make_channel<fragile>(8);
    for (int i = 0; i < 4; ++i) CHECK(in.push(fragile{i, i == breaking}));
    in.close();
    std::array<fragile, 8> some{};
    int next = 0, thrown = -1;
    while (true) {
      try {
        const std::size_t got = out.pop_some(some);
        for (std::size_t i = 0; i < got; ++i) CHECK(some[i].number == next++);
        if (got == 0) break;
      } catch (const int number) {
        CHECK(number == next);
        thrown = number;
        out.peek()[0].breaks = false;
      }
    }
    CHECK(next == 4);
    CHECK(thrown == breaking);
  }
}

/// Throws when it is moved once more than into the queue and out of it.
struct worn {
  int number = 0;
  int moves = 0;

  explicit worn(int n) : number{n} {}
  worn(worn&& other) : number{other.number}, moves{other.moves + 1} {
    if (moves > 2) throw number;
  }
};

TEST_CASE("an item moves out of the queue once, in a loop and where it was waited for: one that throws then is not lost") {
  auto [in, out] = make_channel<worn>(8);
  for (int i = 0; i < 3; ++i) CHECK(in.push(worn{i}));
  in.close();
  int next = 0;
  for (const worn& item : out) CHECK(item.number == next++);
  CHECK(next == 3);

  auto [late, waiting] = make_channel<worn>(1);
  std::thread pushing{[&to = late] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
      to.push(worn{i});
    }
    to.close();
  }};
  next = 0;
  while (const std::optional<worn> item = waiting.pop()) CHECK(item->number == next++);
  CHECK(next == 3);
  pushing.join();
}

TEST_CASE("a consumer that is destroyed stops the stream") {
  auto [in, out] = make_channel<int>(1);
  {
    const auto end = std::move(out);
  }
  CHECK_FALSE(in.push(1));
}

// The ring is given first here, and the items of the channel are its items.
static_assert(std::is_same_v<decltype(make_channel<spsc_ring<int>>(1)), decltype(make_channel<int>(1))>);
static_assert(std::is_same_v<decltype(make_channel<slot_ring<int>, block, counted>(1)),
                             decltype(make_channel<int, slot_ring<int>, block, counted>(1))>);

TEST_CASE("a loop over a ring of slots reads them in place, and gives each back when it goes on") {
  auto [in, out] = make_channel<slot_ring<std::vector<int>>>(2, [] { return std::vector<int>(3); });
  std::vector<const int*> places;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) {
      in.reserve()[0].assign(3, 2 * round + i);
      in.commit();
    }
    CHECK(in.try_reserve().empty());
    int seen = 0;
    for (auto& slot : out) {
      CHECK(slot == std::vector<int>(3, 2 * round + seen));
      places.push_back(slot.data());
      if (++seen == 2) break;  // and so it stays the oldest
    }
    CHECK(in.try_reserve(2).size() == 1);
    CHECK(out.peek()[0][0] == 2 * round + 1);
    out.release();
  }
  for (std::size_t i = 2; i < places.size(); ++i) CHECK(places[i] == places[i - 2]);
  in.close();
  for ([[maybe_unused]] auto& slot : out) FAIL("the stream has ended");
}

TEST_CASE("a loop over slots throws what the producer failed with, after its last item") {
  auto [in, out] = make_channel<slot_ring<int>>(2);
  in.reserve()[0] = 7;
  in.commit();
  in.fail(std::make_exception_ptr(std::runtime_error{"a fault"}));
  int seen = 0;
  const auto read = [&, &items = out] {
    for (const int item : items) seen = item;
  };
  CHECK_THROWS_WITH(read(), "a fault");
  CHECK(seen == 7);
}

}  // namespace consumer_test
