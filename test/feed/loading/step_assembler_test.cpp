// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/loading/step_assembler.hpp>
#include <ipuflow/feed/loading/map_source.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace step_assembler_test {

using ipuflow::make_owner;
using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

std::vector<int> count_to(std::size_t size) {
  std::vector<int> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

using fields = slot_fields<sample_batch<int>>;

/// An engine of a dataset of numbers; its steps as batches.
struct numbers_engine : step_assembler<> {
  using step_assembler<>::step_assembler;

  std::optional<sample_batch<int>> next() {
    leased_slot filled = step_assembler<>::next();
    if (!filled) return std::nullopt;
    return sample_batch<int>{filled.at->size, fields::columns(*filled.at), std::move(filled.held)};
  }
};

template <class Dataset>
numbers_engine engine_of(const Dataset& d, std::size_t step, const loader_options& o) {
  auto samples = make_owner<dataset_reader<Dataset>>(d);
  const partition plan = checked_partition(samples->size(), step, o);
  return {make_owner<map_source>(std::move(samples), plan, o), fields::kinds, step, o};
}

template <class Condition>
void wait_until(Condition reached) {
  while (!reached()) std::this_thread::yield();
}

}  // namespace

TEST_CASE("asynchronous: one step is prepared at once, all of the buffer if it is preloaded") {
  const std::vector<int> numbers = count_to(10);
  auto preloading =
      engine_of(all(numbers), 1, {.mode = loading::async, .async = {.buffer_size = 5, .early_preload = true}});
  wait_until([&] { return preloading.ready() == 5; });
  auto waiting = engine_of(all(numbers), 1, {.mode = loading::async, .async = {.buffer_size = 5}});
  wait_until([&] { return waiting.ready() == 1; });
  waiting.begin();
  wait_until([&] { return waiting.ready() == 5; });
  CHECK(preloading.pool()->size() == 5);  // nothing is made beyond the buffer
}

TEST_CASE("synchronous: nothing is prepared between two passes") {
  std::atomic<int> asked{0};
  const std::vector<int> numbers = count_to(10);
  const auto d = numbers | map([&](int i) { return ++asked, i; });
  for (const std::size_t workers : {std::size_t{0}, std::size_t{2}}) {
    auto e = engine_of(d, 1, {.workers = workers});
    asked = 0;
    for (int pass = 1; pass < 4; ++pass) {
      e.begin();
      std::size_t steps = 0;
      while (e.next()) ++steps;
      CHECK(steps == 10);
      CHECK(asked == 10 * pass);
      CHECK(e.ready() == 0);
    }
  }
}

TEST_CASE("the next epoch is prepared while this one ends, unless that is not wanted") {
  const std::vector<int> numbers = count_to(4);
  for (const bool indefinitely : {true, false}) {
    auto e = engine_of(all(numbers), 1, {.mode = loading::async, .async = {.load_indefinitely = indefinitely}});
    e.begin();
    while (e.next()) continue;
    if (indefinitely) {
      wait_until([&] { return e.ready() == 3; });
    } else {
      CHECK(e.ready() == 0);
    }
  }
}

TEST_CASE("workers that do not persist end with the epoch and start with the next one") {
  static std::atomic<int> ended;
  struct counts_end {
    bool in_use = false;
    ~counts_end() { ended += in_use ? 1 : 0; }
  };
  const std::vector<int> numbers = count_to(12);
  const auto d = numbers | map([](int i) {
                   thread_local counts_end counter;
                   counter.in_use = true;
                   return i;
                 });
  for (const bool persistent : {true, false}) {
    ended = 0;
    auto e = engine_of(d, 2, {.mode = loading::async, .workers = 3, .persistent_workers = persistent});
    for (int pass = 0; pass < 5; ++pass) {
      const int before = ended;
      e.begin();
      int sum = 0;
      while (const auto b = e.next()) sum += (*b)[0] + (*b)[1];
      CHECK(sum == 66);
      CHECK((ended > before) == !persistent);
      if (!persistent) CHECK(e.ready() == 0);
    }
  }
}

TEST_CASE("slots: those that are prepared and those in somebody's hands, no more") {
  const std::vector<int> numbers = count_to(1000);
  auto e = engine_of(all(numbers), 1, {.mode = loading::async, .workers = 2});
  e.begin();
  std::vector<sample_batch<int>> kept;
  for (int i = 0; i < 20; ++i) kept.push_back(*e.next());
  for (int i = 0; i < 20; ++i) CHECK(kept[static_cast<std::size_t>(i)][0] == i);
  CHECK(e.pool()->size() <= 23);
  kept.clear();
  while (e.next()) continue;
  CHECK(e.pool()->size() <= 23);
}

TEST_CASE("what makes a step impossible is thrown in its turn, and the next call goes on") {
  const std::vector<int> numbers = count_to(20);
  const auto d = numbers | map([](int i) { return i == 7 || i == 9 ? throw std::runtime_error{"bad"} : i; });
  for (std::size_t workers = 0; workers < 5; ++workers) {
    for (const std::size_t part : {std::size_t{0}, std::size_t{1}}) {
      auto e = engine_of(d, 4, {.mode = loading::async, .workers = workers, .worker_batch = part});
      for (int pass = 0; pass < 3; ++pass) {
        e.begin();
        std::vector<int> firsts;
        std::vector<std::size_t> failed;
        for (bool going = true; going;) {
          try {
            const auto b = e.next();
            going = b.has_value();
            if (b) firsts.push_back((*b)[0]);
          } catch (const sample_error& wrong) {
            failed.push_back(wrong.index());
          }
        }
        CHECK(firsts == std::vector<int>{0, 12, 16});
        CHECK(failed == std::vector<std::size_t>{7, 9});
      }
    }
  }
}

}  // namespace step_assembler_test
