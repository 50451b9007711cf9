// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/slice.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <list>
#include <numeric>
#include <vector>

namespace slice_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

template <class Range>
std::vector<int> listed(Range&& r) {
  std::vector<int> all_of;
  for (const int i : r) all_of.push_back(i);
  return all_of;
}

}  // namespace

static_assert(share_of(100, 0, 3) == interval{0, 34} && share_of(100, 1, 3) == interval{34, 33});
static_assert(share_of(100, 2, 3) == interval{67, 33} && share_of(2, 2, 3) == interval{2, 0});
constexpr std::array five{1, 2, 3, 4, 5};
static_assert((five | take(2)).size() == 2 && (five | take(9)).size() == 5 && (five | drop(3))[1] == 5);
static_assert((five | shard_by_stride(1, 2)).size() == 2 && (five | shard_by_stride(1, 2))[1] == 4);

TEST_CASE("shards put side by side are the dataset, and differ by one sample at most") {
  for (std::size_t samples = 0; samples < 40; ++samples) {
    std::vector<int> numbers(samples);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::size_t count = 1; count < 9; ++count) {
      std::vector<int> together;
      for (std::size_t k = 0; k < count; ++k) {
        const auto part = numbers | shard(k, count);
        CHECK(part.size() >= samples / count);
        CHECK(part.size() <= samples / count + 1);
        for (std::size_t i = 0; i < part.size(); ++i) together.push_back(part[i]);
      }
      CHECK(together == numbers);
    }
  }
}

TEST_CASE("shards by stride deal the samples out, as many to each as there are in a run of them") {
  for (std::size_t samples = 0; samples < 40; ++samples) {
    std::vector<int> numbers(samples);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::size_t count = 1; count < 9; ++count) {
      std::vector<int> dealt(samples, -1);
      for (std::size_t k = 0; k < count; ++k) {
        const auto part = numbers | shard_by_stride(k, count);
        CHECK(part.size() == (numbers | shard(k, count)).size());
        for (std::size_t i = 0; i < part.size(); ++i) dealt[i * count + k] = part[i];
        CHECK((numbers | shard_by_stride(k, count) | take(samples / count)).size() == samples / count);  // all equal
      }
      CHECK(dealt == numbers);
    }
  }
  const std::list<int> range{1, 2, 3, 4, 5, 6, 7};
  CHECK(listed(range | shard_by_stride(1, 3)) == listed(range | shard(1, 3)));
  CHECK((five | shard_by_stride(1, 2)).origin(1, 0) == 3);
  CHECK_THROWS_AS((void)(five | shard_by_stride(2, 2)), ipuflow::error);
}

TEST_CASE("a slice knows where its samples come from, and lies where they lie") {
  const std::vector<int> numbers{5, 6, 7, 8};
  const auto part = numbers | drop(1) | take(2);
  CHECK(part.origin(1, 0) == 2);
  CHECK(std::get<0>(whole(part)).data() == numbers.data() + 1);
  CHECK(whole(part).size() == 2);
}

TEST_CASE("ranges: take and drop from the front, every n-th as a shard") {
  const std::list<int> numbers{1, 2, 3, 4, 5, 6, 7};
  CHECK(listed(numbers | take(2)) == std::vector<int>{1, 2});
  CHECK(listed(numbers | drop(5)) == std::vector<int>{6, 7});
  CHECK(listed(numbers | shard(1, 3)) == std::vector<int>{2, 5});
}

}  // namespace slice_test
