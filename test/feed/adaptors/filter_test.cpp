// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/filter.hpp>
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>
#include <list>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

namespace filter_test {

using namespace ipuflow::feed;

namespace {

constexpr auto even = [](int i) { return i % 2 == 0; };
constexpr auto odd = [](int i) { return i % 2 != 0; };

std::vector<int> count_to(std::size_t size) {
  std::vector<int> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

template <class Range>
std::vector<int> listed(const Range& r) {
  std::vector<int> all_of;
  if constexpr (map_style<Range>) {
    for (std::size_t i = 0; i < r.size(); ++i) all_of.push_back(r[i]);
  } else {
    for (const int i : r) all_of.push_back(i);
  }
  return all_of;
}

}  // namespace

TEST_CASE("what passes, in its order; with what does not pass it is the dataset") {
  for (std::size_t size = 0; size < 20; ++size) {
    const auto numbers = count_to(size);
    const auto kept = numbers | filter(even), others = numbers | filter(odd);
    CHECK(kept.size() + others.size() == size);
    for (std::size_t i = 0; i < kept.size(); ++i) CHECK(kept[i] == static_cast<int>(2 * i));
    CHECK(listed(numbers | filter([](int) { return true; })) == numbers);
    CHECK((kept | filter(odd)).size() == 0);
    if (kept.size() > 1) CHECK(kept.origin(1, 0) == 2);
  }
}

TEST_CASE("each sample is read once, when the dataset is filtered") {
  std::size_t calls = 0;
  const auto numbers = count_to(10);
  const auto kept = numbers | filter([&calls](int i) { return ++calls, i > 3; });
  CHECK(calls == 10);
  CHECK(listed(kept).size() == 6);
  CHECK(calls == 10);
}

TEST_CASE("the fields of a sample, or all of it") {
  const std::vector<int> labels{3, 1, 3};
  const auto pairs = zip(count_to(3), labels);
  CHECK((pairs | filter([](int, int label) { return label == 3; })).size() == 2);
  CHECK((pairs | filter([](const auto& sample) { return std::get<1>(sample) == 1; })).size() == 1);
}

TEST_CASE("shuffled behind a filter, each epoch has another order; before it, all have that of epoch 0") {
  const auto numbers = count_to(40);
  const auto behind = numbers | filter(even) | shuffle(7);
  const auto before = numbers | shuffle(7) | filter(even);
  std::set<int> seen;
  bool moved = false;
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(even(before.sample(i, 1)));  // not what stands there in the order of epoch 1
    CHECK(before.sample(i, 1) == before.sample(i, 0));
    moved = moved || behind.sample(i, 1) != behind.sample(i, 0);
    seen.insert(behind.sample(i, 1));
  }
  CHECK(moved);
  CHECK(seen.size() == 20);
}

TEST_CASE("ranges, also those that can be read only once, and those without end") {
  const std::list<int> numbers{1, 2, 3, 4, 6, 7};
  CHECK(listed(numbers | filter(even)) == std::vector<int>{2, 4, 6});
  CHECK(listed(numbers | filter(odd) | take(2)) == std::vector<int>{1, 3});
  CHECK(listed(numbers | repeat() | filter(even) | take(5)) == std::vector<int>{2, 4, 6, 2, 4});
  CHECK(listed(numbers | filter([](int) { return false; })).empty());
  std::istringstream text{"1 2 3 4"};
  int sum = 0;
  struct words : dataset_view {
    std::istream* from;
    auto begin() const { return std::istream_iterator<int>{*from}; }
    auto end() const { return std::istream_iterator<int>{}; }
  };
  words once;
  once.from = &text;
  for (const int i : once | filter(even)) sum += i;
  CHECK(sum == 6);
}

}  // namespace filter_test
