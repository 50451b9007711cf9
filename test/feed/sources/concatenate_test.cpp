// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/concatenate.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <list>
#include <numeric>
#include <ranges>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace concatenate_test {

using namespace ipuflow::feed;

namespace {

std::vector<int> count_to(std::size_t size) {
  std::vector<int> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

template <class Range>
std::vector<int> listed(const Range& r) {
  std::vector<int> all_of;
  for (const int i : r) all_of.push_back(i);
  return all_of;
}

}  // namespace

constexpr std::array two{1, 2};
constexpr std::array three{3, 4, 5};
static_assert(concatenate(two, three).size() == 5 && concatenate(two, three, two)[6] == 2);
static_assert(std::is_same_v<decltype(concatenate(two, three)[0]), const int&>);  // nothing is copied
static_assert(std::is_same_v<decltype(concatenate(two, three | map([](int i) { return i; }))[0]), int>);

TEST_CASE("shards put one behind the other are the dataset") {
  for (std::size_t size = 0; size < 20; ++size) {
    const auto numbers = count_to(size);
    const auto all_of = concatenate(numbers | shard(0, 3), numbers | shard(1, 3), numbers | shard(2, 3));
    REQUIRE(all_of.size() == size);
    for (std::size_t i = 0; i < size; ++i) CHECK(all_of[i] == numbers[i]);
  }
}

TEST_CASE("empty ones, shuffled ones, and temporaries among them") {
  const std::vector<int> none;
  const auto numbers = count_to(6);
  const auto d = concatenate(none, numbers | shuffle(3), none, std::vector<int>{9}, none);
  CHECK(d.size() == 7);
  CHECK(d[6] == 9);
  for (std::size_t i = 0; i < 6; ++i) CHECK(d.sample(i, 2) == (numbers | shuffle(3)).sample(i, 2));
  CHECK(concatenate(none, none).size() == 0);
}

TEST_CASE("ranges, with datasets among them, one after the other") {
  const std::list<int> front{1, 2}, back{5};
  const std::vector<int> middle{3, 4};
  CHECK(listed(concatenate(front, middle, back)) == std::vector<int>{1, 2, 3, 4, 5});
  CHECK(listed(concatenate(std::list<int>{}, back, std::list<int>{})) == std::vector<int>{5});
  CHECK(listed(concatenate(std::list<int>{}, std::list<int>{})).empty());
  CHECK(listed(concatenate(front, back | repeat()) | take(4)) == std::vector<int>{1, 2, 5, 5});
  CHECK(listed(concatenate(middle, front) | repeat(2)) == std::vector<int>{3, 4, 1, 2, 3, 4, 1, 2});
}

TEST_CASE("passes over ranges can be begun again where those over all of them can") {
  std::istringstream words{"3 4"};
  const std::list<int> front{1, 2};
  struct read_once : dataset_view {
    std::istream* from;
    explicit read_once(std::istream& in) : from{&in} {}
    auto begin() const { return std::istream_iterator<int>{*from}; }
    auto end() const { return std::istream_iterator<int>{}; }
  };
  const auto all_of = concatenate(front, read_once{words});
  static_assert(std::ranges::input_range<decltype(all_of)> && !std::ranges::forward_range<decltype(all_of)>);
  static_assert(std::ranges::forward_range<decltype(concatenate(front, front))>);
  CHECK(listed(all_of) == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("a range is begun when those before it have ended") {
  const std::list<int> numbers{1, 2};
  int begun = 0;
  struct counted : dataset_view {
    const std::list<int>* from;
    int* count;
    counted(const std::list<int>& l, int& c) : from{&l}, count{&c} {}
    auto begin() const { return ++*count, from->begin(); }
    auto end() const { return from->end(); }
  };
  const auto both = concatenate(numbers, counted{numbers, begun});
  auto at = both.begin();
  ++at;
  CHECK(begun == 0);
  ++at;
  CHECK(begun == 1);
  CHECK(*at == 1);
}

TEST_CASE("a loader takes either") {
  int sum = 0;
  for (auto& [numbers] : sync(concatenate(two, three), 2, {.last = tail::kept})) {
    for (const int i : numbers.elements()) sum += i;
  }
  for (auto& [numbers] : sync(concatenate(std::list<int>{10, 20}, two), 2)) {
    for (const int i : numbers.elements()) sum += i;
  }
  CHECK(sum == 15 + 33);
}

TEST_CASE("more samples than can be counted are refused") {
  const auto many = std::vector<int>(3) | repeat(static_cast<std::size_t>(-1) / 3);
  CHECK_THROWS_AS((void)concatenate(many, many), ipuflow::rejected<ipuflow::arithmetic_fault>);
}

}  // namespace concatenate_test
