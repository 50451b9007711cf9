// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/producer.hpp>
#include <ipuflow/queue/slot_ring.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "oracle.hpp"

namespace producer_test {

using namespace ipuflow::queue;
using ends = decltype(make_channel<int>(1));

static_assert(!std::is_copy_constructible_v<decltype(ends::in)> && !std::is_copy_assignable_v<decltype(ends::in)>);
static_assert(std::is_nothrow_move_constructible_v<decltype(ends::in)>);
static_assert(std::is_nothrow_move_assignable_v<decltype(ends::in)>);

TEST_CASE("an item may be written in braces") {
  struct pair {
    int a = 0, b = 0;
  };
  auto [in, out] = make_channel<pair>(4);
  CHECK(in.push({1, 2}));
  CHECK(in.try_push({.a = 3}));
  CHECK(out.pop()->b == 2);
  CHECK(out.pop()->a == 3);
}

TEST_CASE("pushing without waiting tells whether there was room, and leaves alone what it did not take") {
  auto [in, out] = make_channel<oracle::owner>(2);
  oracle::owner item{7};
  CHECK(in.try_push(oracle::owner{1}));
  CHECK(in.try_push(oracle::owner{2}));
  CHECK_FALSE(in.try_push(std::move(item)));
  CHECK(item.value() == 7);
  out.stop();
  CHECK_FALSE(in.push(std::move(item)));
  CHECK(item.value() == 7);
  CHECK(in.stopped());
}

/// No more than the concept of a ring asks for.
template <class T>
class plain_ring {
 public:
  using value_type = T;

  explicit plain_ring(std::size_t capacity) : ring_{capacity} {}
  [[nodiscard]] std::size_t capacity() const { return ring_.capacity(); }
  ipuflow::light_span<T> reserve(std::size_t count) { return ring_.reserve(count); }
  void commit(std::size_t count) { ring_.commit(count); }
  ipuflow::light_span<T> peek(std::size_t count) { return ring_.peek(count); }
  void release(std::size_t count) { ring_.release(count); }
  std::size_t writable() { return ring_.writable(); }
  std::size_t readable() { return ring_.readable(); }
  bool try_push(T&& item) { return ring_.try_push(std::move(item)); }
  std::optional<T> try_pop() { return ring_.try_pop(); }

 private:
  spsc_ring<T> ring_;
};

struct shape {
  virtual ~shape() = default;
};
struct square : shape {};
using any_shape = std::unique_ptr<shape>;

TEST_CASE_TEMPLATE("what becomes an item is left alone, too, and none is lost while a push waits", Ring,
                   spsc_ring<any_shape>, plain_ring<any_shape>) {
  auto [in, out] = make_channel<Ring>(1);
  bool kept = true;
  std::thread making{[to = std::move(in), &kept]() mutable {
    for (int i = 0; i < 100; ++i) to.push(std::make_unique<square>());
    auto item = std::make_unique<square>();
    while (!to.try_push(std::move(item))) kept = kept && item != nullptr;
  }};
  int seen = 0;
  while (auto item = out.pop()) {
    CHECK(*item != nullptr);
    if (++seen % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
  making.join();
  CHECK(kept);
  CHECK(seen == 101);
}

TEST_CASE("a push waits for room and all of a span goes in") {
  auto [in, out] = make_channel<int>(3);
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 0);
  std::thread pushing{[&to = in, &items] {
    CHECK(to.push_all(items) == items.size());
    CHECK(to.push_all({}) == 0);
    to.close();
  }};
  std::vector<int> got;
  for (const int item : out) got.push_back(item);
  pushing.join();
  CHECK(got == items);
}

TEST_CASE("a push that is stopped half way says how much went in") {
  auto [in, out] = make_channel<int>(3);
  const std::vector<int> items(10, 5);
  std::thread pushing{[&to = in, &items] {
    const std::size_t pushed = to.push_all(items);
    CHECK(pushed >= 4);
    CHECK(pushed < 10);
    CHECK(to.reserve(1).empty());
    CHECK(to.try_reserve(1).empty());
  }};
  CHECK(out.pop() == 5);
  while (out.peek(3).size() < 3) continue;
  out.stop();
  pushing.join();
}

TEST_CASE("what the consumer failed with is thrown at the producer, every time") {
  auto [in, out] = make_channel<int>(1);
  CHECK(in.push(1));
  out.fail(std::make_exception_ptr(std::runtime_error{"no more"}));
  out.fail(std::make_exception_ptr(std::runtime_error{"too late"}));
  CHECK_THROWS_WITH(in.push(2), "no more");
  CHECK_THROWS_WITH((void)in.try_push(2), "no more");
  CHECK_THROWS_WITH((void)in.reserve(1), "no more");
  CHECK(out.pop() == std::nullopt);
}

TEST_CASE("a producer that is destroyed closes its stream; by an exception, it stops it") {
  auto [closed, first] = make_channel<int>(2);
  auto [stopped, second] = make_channel<int>(2);
  CHECK(closed.push(1));
  CHECK(stopped.push(1));
  {
    const auto end = std::move(closed);
  }
  try {
    const auto end = std::move(stopped);
    throw std::runtime_error{"on the way"};
  } catch (const std::runtime_error&) {
  }
  CHECK(first.pop() == 1);
  CHECK(first.pop() == std::nullopt);
  CHECK_FALSE(first.stopped());
  CHECK(second.pop() == std::nullopt);
  CHECK(second.stopped());
}

namespace {

/// Runs a function where it is destroyed.
template <class Function>
struct at_end {
  Function function;
  ~at_end() { function(); }
};
template <class Function>
at_end(Function) -> at_end<Function>;

template <class Function>
void while_unwinding(Function function) {
  try {
    const at_end last{function};
    throw std::runtime_error{"on the way"};
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

TEST_CASE("a producer that is made and finished while an exception is on its way closes its stream") {
  auto [made, first] = make_channel<int>(2);
  auto [moved, second] = make_channel<int>(2);
  auto [assigned, third] = make_channel<int>(2);
  while_unwinding([&to = made] {
    CHECK(std::uncaught_exceptions() == 1);
    auto end = std::move(to);  // made before, but the end that is destroyed here is not
    CHECK(end.push(1));
  });
  while_unwinding([&to = moved] {
    CHECK(to.push(2));
    std::thread{[end = std::move(to)]() mutable { CHECK(end.push(3)); }}.join();
  });
  while_unwinding([&to = assigned] {
    CHECK(to.push(4));
    to = make_channel<int>(1).in;
  });
  CHECK(first.pop() == 1);
  CHECK(second.pop() == 2);
  CHECK(second.pop() == 3);
  CHECK(third.pop() == 4);
  for (auto* const out : {&first, &second, &third}) {
    CHECK(out->pop() == std::nullopt);
    CHECK_FALSE(out->stopped());
  }
}

TEST_CASE("a second exception stops the stream of a producer that was made during the first") {
  auto [in, out] = make_channel<int>(2);
  while_unwinding([&to = in] {
    try {
      auto end = std::move(to);
      CHECK(end.push(1));
      throw std::out_of_range{"on the way, too"};
    } catch (const std::out_of_range&) {
    }
  });
  CHECK(out.pop() == std::nullopt);
  CHECK(out.stopped());
}

TEST_CASE("assigning to a producer ends the stream that it had") {
  auto [one, first] = make_channel<int>(2);
  auto [two, second] = make_channel<int>(2);
  CHECK(one.push(1));
  one = std::move(two);
  CHECK(one.push(2));
  CHECK(first.pop() == 1);
  CHECK(first.pop() == std::nullopt);
  CHECK(second.pop() == 2);
  CHECK_FALSE(second.done());
}

TEST_CASE("slots are filled in place and come around") {
  auto [in, out] = make_channel<std::vector<int>, slot_ring<std::vector<int>>>(2, [] { return std::vector<int>(3); });
  for (int i = 0; i < 10; ++i) {
    const auto slot = in.reserve();
    CHECK(slot[0].size() == 3);
    slot[0].front() = i;
    in.commit();
    CHECK(out.peek()[0].front() == i);
    out.release();
  }
}

TEST_CASE("items that are made only of something are pushed all at once, too") {
  struct number {
    explicit number(int n) : value{n} {}
    int value;
  };
  auto [in, out] = make_channel<number>(4);
  const std::vector<number> three{number{1}, number{2}, number{3}};
  CHECK(in.push_all(three) == 3);
  CHECK(out.peek(4).size() == 3);
  CHECK(out.peek(4)[2].value == 3);
  out.stop();
  CHECK(in.push_all(three) == 0);
}

}  // namespace producer_test
