// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/batch.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/sources/zip.hpp>
#include <ipuflow/queue/channel.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace infeed_test {

using namespace ipuflow;
using feed::infeed;

namespace {

/// 0, 1, ..., k - 1, again and again.
auto cycling(int k) {
  return std::views::iota(0) | std::views::transform([k](int i) { return i % k; });
}
auto finite(int k) { return std::views::iota(0, k); }

template <class Feed>
int sum_of(Feed& in, std::size_t iterations, int start) {
  in.run(iterations, [&](int v) { start += v; });
  return start;
}

}  // namespace

TEST_CASE("a loop takes one element in each of exactly its iterations") {
  infeed cyclic{cycling(10)};
  CHECK(sum_of(cyclic, 20, 1) == 91);
  infeed ten{finite(10)};
  CHECK(sum_of(ten, 10, 1) == 46);
}

/// Three numbers, and how many of it there are.
struct counted_numbers : std::vector<int> {
  std::shared_ptr<int> here = std::make_shared<int>();
  counted_numbers() : std::vector<int>{1, 2, 3} {}
};

TEST_CASE("what an infeed keeps lasts as long as that, not as its thread: elements may be views of it") {
  counted_numbers numbers;
  const std::weak_ptr<int> here = numbers.here;
  {
    infeed in{std::move(numbers) | feed::map([](const int& i) -> const int* { return &i; })};
    std::this_thread::sleep_for(std::chrono::milliseconds{20});  // the thread has read all, and ended
    int sum = 0;
    while (const auto element = in()) {
      CHECK(!here.expired());
      sum += **element;
    }
    CHECK(sum == 6);
    CHECK(!here.expired());
  }
  CHECK(here.expired());
}

TEST_CASE("the producer of a queue that an infeed reads is told when it reads no more") {
  auto [to, from] = queue::make_channel<int>(1);
  infeed in{std::move(from), {.prefetch_depth = 1}};
  std::jthread making{[producer = std::move(to)]() mutable {
    for (int i = 0; producer.push(i);) ++i;  // until it is stopped
  }};
  CHECK(*in() == 0);
  in.stop();
  making.join();
}

TEST_CASE("a dataset feeds its samples, transformed and shuffled, or its batches") {
  const std::vector<int> numbers{1, 2, 3, 4};
  const auto squares = numbers | feed::map([](int i) { return i * i; });
  infeed by_name{squares};
  static_assert(std::is_same_v<decltype(by_name)::element_type, int>);
  CHECK(sum_of(by_name, 4, 0) == 30);
  CHECK(by_name.run(1, [](int) { FAIL("there is no more"); }) == 0);
  infeed temporary{std::vector{1, 2, 3} | feed::map([](int i) { return 10 * i; }) | feed::shuffle(7), {.prefetch_depth = 1}};
  CHECK(sum_of(temporary, 3, 0) == 60);
  infeed pairs{feed::zip(numbers, numbers), {.replicas = 2}};
  int product = 1;
  CHECK(pairs.run(9, [&](int a, int b) { product *= a * b; }) == 2);
  CHECK(product == 576);
  infeed batches{numbers | feed::batch(2)};
  int sum = 0;
  CHECK(batches.run(9, [&](const auto& batch) { sum = 10 * sum + batch[0] + batch[1]; }) == 2);
  CHECK(sum == 37);
}

TEST_CASE("the position carries over from one run to the next, whatever the depth") {
  for (const std::size_t depth : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{255}}) {
    infeed two{cycling(2), {.prefetch_depth = depth}};
    const int half = sum_of(two, 5, 0);
    CHECK(half == 2);
    CHECK(sum_of(two, 5, half) == 5);
    CHECK(two.position() == 10);
    infeed all{finite(1000), {.prefetch_depth = depth}};
    int next = 0;
    for (std::size_t run = 0; next < 1000; run = (run + 1) % 7) {
      const int before = next;
      const std::size_t ran = all.run(run, [&](int v) { CHECK(v == next++); });
      CHECK(ran == static_cast<std::size_t>(next - before));
    }
    CHECK(all.run(1, [](int) { FAIL("there is no more"); }) == 0);
  }
}

TEST_CASE("data that ends, ends the run and says after how many iterations") {
  infeed seven{finite(7)};
  CHECK(seven.run(10, [](int) {}) == 7);
  CHECK(seven.run(10, [](int) {}) == 0);
  CHECK_FALSE(seven.next());
  infeed none{finite(0)};
  CHECK(none.run(10, [](int) {}) == 0);
}

TEST_CASE("every replica gets an element of its own, and an iteration needs one for each") {
  infeed in{finite(11), {.prefetch_depth = 2, .replicas = 3}};
  std::vector<std::pair<std::size_t, int>> got;
  CHECK(in.run(10, [&](std::size_t replica, int v) { got.emplace_back(replica, v); }) == 3);
  CHECK(got.size() == 9);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == std::pair{i % 3, static_cast<int>(i)});
}

TEST_CASE("a tuple becomes the arguments of the body, with the replica before them if it is asked for") {
  const std::vector<std::tuple<int, float>> pairs{{1, 0.5f}, {2, 1.5f}};
  infeed one{pairs};
  CHECK(one.run(2, [](int number, float half) { CHECK(half == static_cast<float>(number) - 0.5f); }) == 2);
  infeed two{pairs};
  CHECK(two.run(2, [](std::size_t replica, int, float) { CHECK(replica == 0); }) == 2);
  infeed whole{pairs};
  CHECK(whole.run(2, [](const std::tuple<int, float>& both) { CHECK(std::get<0>(both) > 0); }) == 2);
}

TEST_CASE("elements move through, and are read in place") {
  auto owners = finite(100) | std::views::transform([](int i) { return std::make_unique<int>(i); });
  infeed in{owners};
  int next = 0;
  CHECK(in.run(100, [&](std::unique_ptr<int>& owner) {
    CHECK(*owner == next++);
    const auto taken = std::move(owner);
  }) == 100);
  const std::vector<std::vector<float>> batches(50, std::vector<float>(8));
  std::vector<const float*> places;
  infeed same{batches, {.prefetch_depth = 2}};
  CHECK(same.run(50, [&](const std::vector<float>& batch) { places.push_back(batch.data()); }) == 50);
  for (std::size_t i = 2; i < places.size(); ++i) CHECK(places[i] == places[i - 2]);  // two slots, made once
}

TEST_CASE("no more is read ahead than the depth, and a slot is refilled as soon as it is free") {
  std::atomic<std::size_t> read{0};
  auto source = finite(100) | std::views::transform([&](int i) {
                  ++read;
                  read.notify_one();
                  return i;
                });
  infeed in{source, {.prefetch_depth = 4}};
  for (std::size_t ran = 0; ran < 50; ++ran) {
    for (std::size_t now = read; now < ran + 4; now = read) read.wait(now);  // without a run, up to the depth
    CHECK(read <= ran + 4);
    CHECK(in.run(1, [](int) {}) == 1);
  }
}

TEST_CASE("what the source throws is thrown at the loop, after the elements before it") {
  auto source =
      finite(10) | std::views::transform([](int i) { return i < 5 ? i : throw std::runtime_error{"bad disk"}; });
  infeed in{source};
  std::size_t ran = 0;
  CHECK_THROWS_WITH(in.run(10, [&](int) { ++ran; }), "bad disk");
  CHECK(ran == 5);
  CHECK_THROWS_WITH(in.run(10, [&](int) { ++ran; }), "bad disk");
}

namespace {

/// A number whose move throws while `fails` is true.
struct number {
  static inline bool fails = false;
  int value = 0;

  number(int of) : value{of} {}
  number(number&& other) : value{fails ? throw std::runtime_error{"no memory"} : other.value} {}
  number& operator=(number&&) = default;
};

}  // namespace

TEST_CASE("an element that throws when it is moved stays the next one") {
  infeed<number> in{{.prefetch_depth = 3, .replicas = 2}};
  for (const int i : {0, 1, 2, 3}) in.enqueue(number{i});
  in.close();
  CHECK(in()->value == 0);
  for (int i = 1; i < 4; ++i) {
    number::fails = true;
    CHECK_THROWS_WITH((void)in(), "no memory");
    number::fails = false;
    CHECK(in()->value == i);
  }
  CHECK_FALSE(in());
}

TEST_CASE("elements that are asked for one by one go on behind a run, also one that was broken off") {
  infeed in{finite(10), {.replicas = 2}};
  CHECK(in() == 0);
  CHECK_THROWS_WITH(in.run(1, [](int) { throw std::runtime_error{"bad"}; }), "bad");  // with the next iteration: 2 and 3
  CHECK(in() == 4);
  CHECK(in() == 5);
  CHECK(in.next());
  CHECK(in() == 6);
  CHECK(in.run(5, [](std::size_t replica, int v) { CHECK(v == 8 + static_cast<int>(replica)); }) == 1);
  CHECK_FALSE(in());
}

TEST_CASE("elements of another shape and empty ones are told") {
  const std::vector<std::vector<int>> ragged{{1, 2}, {3, 4}, {5}};
  infeed in{ragged};
  CHECK_THROWS_WITH(
      in.run(3, [](const std::vector<int>&) {}),
      "ipuflow: extent 0 of infeed element 2 is 1 but was 2 in the first; drop or pad what has another shape, "
      "such as a last short batch");
  infeed empty{std::vector<std::vector<int>>(3)};
  CHECK_THROWS_AS((void)empty.next(), rejected<feed::infeed_fault>);
  CHECK_THROWS_AS((infeed{ragged, {.prefetch_depth = 256}}), rejected<feed::infeed_fault>);
}

TEST_CASE("an infeed can be dropped at any time, read or not, and moved") {
  for (std::size_t runs = 0; runs < 200; ++runs) {
    infeed in{cycling(3), {.prefetch_depth = 1 + runs % 5}};
    auto moved = std::move(in);
    CHECK(moved.run(runs % 9, [](int) {}) == runs % 9);
  }
}

TEST_CASE("an infeed without a source is filled by a thread of yours, which waits while it is full") {
  infeed<int> in{{.prefetch_depth = 2}};
  std::size_t enqueued = 0;
  std::jthread host{[&] {
    while (enqueued < 1000 && in.enqueue(static_cast<int>(enqueued))) ++enqueued;
    in.close();
  }};
  int next = 0;
  while (const auto element = in()) CHECK(*element == next++);
  CHECK(next == 1000);
  CHECK(!in());
}

TEST_CASE("called as a source it gives elements replica after replica; what does not fill an iteration is left out") {
  infeed<int> in{{.prefetch_depth = 4, .replicas = 2}};
  for (int i = 0; i < 5; ++i) CHECK(in.enqueue(i));
  in.close();
  std::vector<int> came;
  while (const auto element = in()) came.push_back(*element);
  CHECK(came == std::vector{0, 1, 2, 3});
}

TEST_CASE("enqueuing to an infeed that reads a source, or after its end, is refused") {
  const std::vector<int> source{1, 2};
  infeed in{source};
  CHECK_THROWS_WITH_AS(in.enqueue(3),
                       "ipuflow: an element is enqueued to an infeed that reads a source, or was closed; make one without a source",
                       rejected<feed::infeed_fault>);
  feed::infeed<int> closed{feed::infeed_options{}};
  closed.close();
  CHECK_THROWS_AS(closed.enqueue(1), rejected<feed::infeed_fault>);
}

}  // namespace infeed_test
