// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <list>
#include <numeric>
#include <vector>

namespace shuffle_test {

using namespace ipuflow::feed;

namespace {

std::vector<int> count_to(std::size_t size) {
  std::vector<int> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

template <class Dataset>
std::vector<int> at_epoch(const Dataset& d, std::size_t epoch) {
  std::vector<int> seen;
  for (std::size_t i = 0; i < d.size(); ++i) seen.push_back(d.sample(i, epoch));
  return seen;
}

}  // namespace

TEST_CASE("a shuffled dataset has every sample once, in another order each epoch") {
  const std::vector<int> numbers = count_to(100);
  const auto d = numbers | shuffle(7);
  std::vector<std::vector<int>> orders;
  for (std::size_t epoch = 0; epoch < 5; ++epoch) {
    auto seen = at_epoch(d, epoch);
    CHECK(std::find(orders.begin(), orders.end(), seen) == orders.end());
    CHECK(seen != numbers);
    orders.push_back(seen);
    std::sort(seen.begin(), seen.end());
    CHECK(seen == numbers);
  }
  CHECK(at_epoch(d, 3) == at_epoch(numbers | shuffle(7), 3));
  CHECK(at_epoch(d, 0) != at_epoch(numbers | shuffle(8), 0));
}

TEST_CASE("an order that files rely on") {
  CHECK(at_epoch(count_to(13) | shuffle(7), 0) == std::vector<int>{6, 0, 4, 12, 1, 11, 3, 5, 9, 10, 2, 8, 7});
  CHECK(at_epoch(count_to(13) | shuffle(7), 1) == std::vector<int>{12, 9, 6, 10, 8, 5, 11, 3, 1, 2, 0, 7, 4});
}

TEST_CASE("adaptors above a shuffle reach its epochs, and find back to the sample") {
  const std::vector<int> numbers = count_to(50);
  const auto d = numbers | shuffle(7) | map([](int i) { return 10 * i; }) | drop(5);
  const auto first = at_epoch(d, 0), second = at_epoch(d, 1);
  CHECK(first != second);
  for (std::size_t i = 0; i < d.size(); ++i) {
    CHECK(d.origin(i, 0) * 10 == static_cast<std::size_t>(first[i]));
    CHECK(d.origin(i, 1) * 10 == static_cast<std::size_t>(second[i]));
  }
}

TEST_CASE("a window has every sample once, none more than its size early") {
  const std::vector<int> base = count_to(200);
  const std::list<int> numbers{base.begin(), base.end()};
  for (const std::size_t window : {std::size_t{1}, std::size_t{2}, std::size_t{16}, std::size_t{500}}) {
    const auto r = numbers | shuffle(7, window);
    std::vector<std::vector<int>> passes;
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<int> seen;
      for (const int i : r) {
        CHECK(static_cast<std::size_t>(i) < seen.size() + window);
        seen.push_back(i);
      }
      passes.push_back(seen);
      std::sort(seen.begin(), seen.end());
      CHECK(seen == base);
    }
    CHECK((passes[0] == passes[1]) == (window == 1));
    CHECK((passes[0] == base) == (window == 1));
  }
}

TEST_CASE("a range of bool is shuffled in a window, too") {
  const std::list<bool> all{true, false, true, true};
  int yes = 0, count = 0;
  for (const bool each : all | shuffle(1, 2)) ++count, yes += each ? 1 : 0;
  CHECK(count == 4);
  CHECK(yes == 3);
}

}  // namespace shuffle_test
