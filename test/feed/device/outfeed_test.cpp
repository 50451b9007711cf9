// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/device/outfeed.hpp>

#include <doctest/doctest.h>

#include <any>
#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace outfeed_test {

using namespace ipuflow;
using namespace ipuflow::feed;

namespace {

/// What replica `replica` gives in micro-batch `index`, counted from the first step.
int result(std::size_t index, std::size_t replica) { return static_cast<int>(100 * index + replica); }

/// Brute force: what should come back, in order, of that many micro-batches.
std::vector<int> expected(const outputs& o, const batch_sizes& step, std::size_t micro_batches) {
  std::vector<int> back;
  std::vector<int> sums(step.replicas);
  for (std::size_t i = 0; i < micro_batches; ++i) {
    const std::size_t in_step = i % micro_batches_per_step(step);
    for (std::size_t r = 0; r < step.replicas; ++r) sums[r] = (in_step == 0 ? 0 : sums[r]) + result(i, r);
    const bool last = in_step + 1 == micro_batches_per_step(step);
    for (std::size_t r = 0; r < step.replicas; ++r) {
      if (o.mode == output_mode::all) back.push_back(result(i, r));
      if (o.mode == output_mode::every_n && (in_step + 1) % o.period == 0) back.push_back(result(i, r));
      if (o.mode == output_mode::final && last) back.push_back(result(i, r));
      if (o.mode == output_mode::sum && last) back.push_back(sums[r]);
    }
  }
  return back;
}

std::vector<int> got(const outputs& o, const batch_sizes& step, std::size_t micro_batches) {
  outfeed<int> out{{.outputs = o, .sizes = step, .buffer_depth = 1}};
  for (std::size_t i = 0; i < micro_batches; ++i) {
    for (std::size_t r = 0; r < step.replicas; ++r) out.enqueue(result(i, r), r);
  }
  return out.dequeue();
}

}  // namespace

TEST_CASE("the results that the mode asks for come back, in the order of iteration, accumulation and replica") {
  for (const auto mode : {output_mode::all, output_mode::final, output_mode::sum, output_mode::every_n}) {
    for (std::size_t iterations = 1; iterations <= 6; ++iterations) {
      for (std::size_t accumulation = 1; accumulation <= 3; ++accumulation) {
        for (std::size_t replicas = 1; replicas <= 3; ++replicas) {
          for (std::size_t period = 1; period <= iterations; ++period) {
            const outputs o{mode, period};
            const batch_sizes step{1, accumulation, replicas, 1, iterations};
            if (verify(o, step)) continue;
            const std::size_t micro_batches = 3 * micro_batches_per_step(step) + 1;
            CHECK(got(o, step, micro_batches) == expected(o, step, micro_batches));
            CHECK(got(o, step, micro_batches_per_step(step)).size() == results_per_step(o, step));
          }
        }
      }
    }
  }
}

TEST_CASE("every fifth of ten iterations is items 4 and 9") {
  CHECK(got({.mode = output_mode::every_n, .period = 5}, {.device_iterations = 10}, 10) == std::vector<int>{400, 900});
}

TEST_CASE("a loop of twenty iterations over ten elements") {
  auto cycling = std::views::iota(0) | std::views::transform([](int i) { return i % 10; });
  infeed in{cycling};
  outfeed<std::array<int, 16>> out;
  int v = 1;
  in.run(
      20,
      [&](int x) {
        v += x;
        std::array<int, 16> image{};
        image.fill(v);
        out.enqueue(image);
      },
      out);
  const auto results = out.dequeue();
  CHECK(results.size() == 20);
  CHECK(results[5].front() == 16);
  CHECK(results.back().back() == 91);
}

TEST_CASE("reading one by one drains, and what comes after it is there the next time") {
  outfeed<int> out;
  for (int i = 0; i < 10; ++i) out.enqueue(i);
  int next = 0;
  for (const int result : out) CHECK(result == next++);
  CHECK(next == 10);
  for ([[maybe_unused]] const int result : out) FAIL("the second drain is empty");
  for (int i = 10; i < 15; ++i) out.enqueue(i);
  for (const int result : out) CHECK(result == next++);
  CHECK(next == 15);
}

TEST_CASE("a buffer without a limit is refused with a sentence") {
  CHECK_THROWS_WITH_AS(outfeed<int>({.buffer_depth = std::numeric_limits<std::size_t>::max()}),
                       doctest::Contains("more than memory has addresses for"), error);
}

TEST_CASE("results that only move come through") {
  outfeed<std::unique_ptr<int>> out{{.outputs = {.mode = output_mode::final}, .sizes = {.device_iterations = 2}}};
  for (int i = 0; i < 4; ++i) out.enqueue(std::make_unique<int>(i));
  const auto results = out.dequeue();
  CHECK(results.size() == 2);
  CHECK(*results[0] == 1);
  CHECK(*results[1] == 3);
}

TEST_CASE("a result that throws when it is moved is not lost, nor are those before it") {
  struct fragile {
    int value;
    int* moves_left;
    fragile(int v, int* left) : value{v}, moves_left{left} {}
    fragile(const fragile&) = default;
    fragile(fragile&& other) : value{other.value}, moves_left{other.moves_left} {
      if (--*moves_left == 0) throw std::runtime_error{"dropped"};
    }
    fragile& operator=(const fragile&) = default;
  };
  const std::vector<int> whole{0, 1, 2, 3, 4, 5, 6};
  for (const auto how : {"dequeue", "one by one", "followed"}) {
    bool thrown = true;
    for (int at = 1; thrown; ++at) {
      thrown = false;
      int left = 0;  // no move throws
      outfeed<fragile> out{{.buffer_depth = 3}};
      for (const int i : whole) out.enqueue({i, &left});
      out.close();
      left = at;
      std::vector<int> seen;
      const auto read = [&] {
        if (how[0] == 'd') {
          for (const fragile& f : out.dequeue()) seen.push_back(f.value);
        } else if (how[0] == 'o') {
          for (const fragile& f : out) seen.push_back(f.value);
        } else {
          for (const fragile& f : out.follow()) seen.push_back(f.value);
        }
      };
      try {
        read();
      } catch (const std::runtime_error&) {
        thrown = true;
        read();
      }
      CHECK(seen == whole);
    }
  }
}

TEST_CASE("a host that looks too early, or follows twice, is refused and does not touch what the device has") {
  outfeed<int> out;
  std::atomic<bool> looked{false};  // relaxed: orders nothing, so that ThreadSanitizer sees what the two sides share
  std::thread device{[&] {
    while (!looked.load(std::memory_order_relaxed)) std::this_thread::yield();
    out.enqueue(7);
    out.close();
  }};
  CHECK_THROWS_WITH((void)out.dequeue(), doctest::Contains("nothing was ever enqueued"));
  auto reader = out.follow();
  CHECK_THROWS_WITH((void)out.follow(), doctest::Contains("two readers"));
  looked.store(true, std::memory_order_relaxed);
  CHECK(reader.next() == 7);
  CHECK_FALSE(reader.next());
  device.join();
}

TEST_CASE("two outfeeds of one loop, of different lengths of step") {
  outfeed<int> each;
  outfeed<int> sums{{.outputs = {.mode = output_mode::sum}, .sizes = {.device_iterations = 10}}};
  infeed in{std::views::iota(0, 100)};
  CHECK(in.run(
            1000,
            [&](int v) {
              each.enqueue(v);
              sums.enqueue(v);
            },
            each, sums) == 100);
  CHECK(each.dequeue().size() == 100);
  const auto tens = sums.dequeue();
  CHECK(tens.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) CHECK(tens[i] == static_cast<int>(100 * i + 45));
}

TEST_CASE("a run that is broken off ends its reader, and what it left of a step is dropped") {
  outfeed<int> out{{.outputs = {.mode = output_mode::sum}, .sizes = {.device_iterations = 3, .run_for = mode::inference}}};
  for (int i = 1; i <= 4; ++i) out.enqueue(i);  // a step of 1, 2 and 3, and a part of the next
  out.abandon();
  CHECK_THROWS_AS(out.enqueue(5), ipuflow::rejected<outfeed_fault>);
  out.open();
  for (int i = 10; i <= 12; ++i) out(i);
  CHECK(out.dequeue() == std::vector{6, 33});
}

TEST_CASE("a loop whose body throws leaves nothing of its step to the next one") {
  outfeed<int> sums{{.outputs = {.mode = output_mode::sum}, .sizes = {.replicas = 2, .device_iterations = 2, .run_for = mode::inference}}};
  infeed in{std::views::iota(0, 100), {.replicas = 2}};
  bool fails = true;
  const auto body = [&](std::size_t replica, int v) {
    if (fails && v == 3) throw std::runtime_error{"bad"};
    sums.enqueue(v, replica);
  };
  CHECK_THROWS_WITH(in.run(4, body, sums), "bad");  // in the second half of a step, at the second replica
  fails = false;
  CHECK(in.run(2, body, sums) == 2);
  CHECK(sums.dequeue() == std::vector{4 + 6, 5 + 7});
}

TEST_CASE("a result that is missing in the last iteration of a run is told in that run") {
  outfeed<int> out;
  infeed in{std::views::iota(0, 100)};
  const auto all_but_two = [&](int v) {
    if (v != 2) out.enqueue(v);
  };
  CHECK_THROWS_WITH(in.run(3, all_but_two, out), doctest::Contains("0 of 1 replica enqueued in micro-batch 2 of an outfeed"));
  CHECK(in.run(3, all_but_two, out) == 3);
  CHECK(out.dequeue() == std::vector{0, 1, 3, 4, 5});
}

TEST_CASE("results may be rows of what has no sum, and of what holds anything") {
  struct detection {
    int at = 0;
  };
  outfeed<std::vector<detection>> found;
  found(std::vector<detection>(3));
  CHECK(found.dequeue()[0].size() == 3);
  using feed_of_rows = outfeed<std::vector<detection>>;
  CHECK_THROWS_WITH((feed_of_rows{{.outputs = {.mode = output_mode::sum}}}), doctest::Contains("cannot be summed up"));
  outfeed<std::vector<std::any>> rows;
  rows(std::vector<std::any>(3));  // and not a row of one that holds the row
  CHECK(rows.dequeue()[0].size() == 3);
}

}  // namespace outfeed_test
