// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <list>
#include <vector>

namespace repeat_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

template <class Range>
std::vector<int> listed(Range&& r) {
  std::vector<int> seen;
  for (const int i : r) seen.push_back(i);
  return seen;
}

}  // namespace

TEST_CASE("a dataset over and over, and in a new order each time if it is shuffled") {
  const std::vector<int> numbers{1, 2, 3};
  CHECK(listed(samples_of(numbers | repeat(2))) == std::vector<int>{1, 2, 3, 1, 2, 3});
  CHECK((numbers | repeat(0)).size() == 0);
  const std::vector<int> many(100, 0);
  const auto d = many | map([](int i) { return i; }) | shuffle(3) | repeat(2);
  bool differs = false;
  for (std::size_t i = 0; i < 100; ++i) differs = differs || d.origin(i, 0) != d.origin(100 + i, 0);
  CHECK(differs);
  for (std::size_t i = 0; i < 100; ++i) CHECK(d.origin(i, 1) != d.origin(i, 0) + 100);  // an index stays below the size
}

TEST_CASE("epochs of a repeated shuffle go on where the last one stopped") {
  const std::vector<int> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  const auto shuffled_once = numbers | shuffle(3);
  const auto twice = numbers | shuffle(3) | repeat(2);
  for (std::size_t i = 0; i < 16; ++i) CHECK(twice.sample(i, 3) == shuffled_once.sample(i % 8, 6 + i / 8));
}

TEST_CASE("without a number it never ends") {
  const std::vector<int> numbers{1, 2};
  CHECK(listed(numbers | repeat() | take(5)) == std::vector<int>{1, 2, 1, 2, 1});
  const std::list<int> l{1, 2};
  CHECK(listed(l | repeat() | take(5)) == std::vector<int>{1, 2, 1, 2, 1});
  CHECK(listed(l | repeat(2)) == std::vector<int>{1, 2, 1, 2});
  CHECK(listed(std::list<int>{1, 2, 3} | map([](int i) { return -i; }) | repeat(2)) ==
        std::vector<int>{-1, -2, -3, -1, -2, -3});
}

TEST_CASE("more samples than can be counted are refused") {
  const std::vector<int> three{1, 2, 3};
  constexpr std::size_t largest = static_cast<std::size_t>(-1);
  CHECK((three | repeat(largest / 3)).size() == largest / 3 * 3);
  CHECK_THROWS_WITH((void)(three | repeat(largest / 3 + 1)),
                    "ipuflow: a dataset repeated 6148914691236517206 times has more samples than can be counted; repeat it "
                    "at most 6148914691236517205 times, or for ever with repeat()");
  CHECK((std::vector<int>{} | repeat(largest)).size() == 0);
}

}  // namespace repeat_test
