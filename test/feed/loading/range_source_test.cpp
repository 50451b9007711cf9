// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/loading/range_source.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <ranges>
#include <stdexcept>
#include <vector>

namespace range_source_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

using fields = slot_fields<sample_batch<int>>;

/// All steps of an epoch as one thread would load them, and which share each is of.
std::vector<std::vector<int>> epoch_of(range_source& source, std::size_t epoch) {
  std::vector<std::vector<int>> steps;
  slot s{fields::kinds};
  s.epoch = epoch;
  for (std::size_t step = 0; source.open(s, step); ++step) {
    source.fill(s, {}, std::atomic<bool>{false});
    source.close(s);
    if (s.size == 0) continue;
    const auto elements = std::get<0>(fields::columns(s)).elements();
    steps.emplace_back(elements.begin(), elements.end());
  }
  return steps;
}

}  // namespace

TEST_CASE("shares take turns, those that ended are left out, and every epoch begins anew") {
  const std::vector<int> numbers{0, 1, 2, 3, 4, 10, 11, 20, 21, 22};
  const auto make = [&](std::size_t k, std::size_t) {
    const std::size_t first[] = {0, 5, 7, 10};
    return numbers | drop(first[k]) | take(first[k + 1] - first[k]);
  };
  range_source source{shares(3, make, 10), 2, 2, {.last = tail::kept}};
  const std::vector<std::vector<int>> wanted{{0, 1}, {10, 11}, {20, 21}, {2, 3}, {22}, {4}};
  for (std::size_t epoch = 0; epoch < 3; ++epoch) CHECK(epoch_of(source, epoch) == wanted);
  CHECK(source.steps() == 5);
}

TEST_CASE("processes divide the shares") {
  const auto make = [](std::size_t k, std::size_t) { return std::vector<int>(3, static_cast<int>(k)); };
  range_source second{shares(5, make), 2, 2, {.last = tail::kept, .process = 1, .processes = 2}};
  CHECK(epoch_of(second, 0) == std::vector<std::vector<int>>{{1, 1}, {3, 3}, {1}, {3}});
}

TEST_CASE("a range that throws ends its share, and says how far it came") {
  const std::vector<int> numbers{0, 1, 2, 3, 4};
  const auto make = [&](std::size_t, std::size_t) {
    return std::views::transform(numbers, [](int i) { return i == 3 ? throw std::runtime_error{"three"} : i; });
  };
  range_source source{shares(1, make), 2, 2, {}};
  slot s{fields::kinds};
  std::size_t step = 0;
  for (; source.open(s, step); ++step) {
    source.fill(s, {}, std::atomic<bool>{false});
    source.close(s);
    if (step != 1) continue;
    try {
      std::rethrow_exception(s.take_error());
    } catch (const sample_error& wrong) {
      CHECK(wrong.index() == 3);
    }
  }
  CHECK(step == 2);
}

}  // namespace range_source_test
