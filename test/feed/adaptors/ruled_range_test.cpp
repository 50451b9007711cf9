// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/batch.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/adaptors/ruled_range.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>
#include <list>
#include <ranges>
#include <sstream>
#include <vector>

namespace ruled_range_test {

using namespace ipuflow::feed;

namespace {

const std::list<int> numbers{0, 1, 2, 3, 4, 5, 6};

template <class Range>
std::vector<int> listed(Range&& r) {
  std::vector<int> all_of;
  for (const int i : r) all_of.push_back(i);
  return all_of;
}

/// The same numbers from a range that can be read only once.
auto read_once(std::istringstream& from) { return std::ranges::istream_view<int>(from); }

}  // namespace

static_assert(std::ranges::forward_range<decltype(numbers | take(2) | drop(1) | map([](int i) { return i; }))>);
static_assert(std::ranges::forward_range<decltype(numbers | batch(2))> && std::ranges::forward_range<decltype(numbers | repeat(2))>);
static_assert(std::ranges::input_range<decltype(read_once(std::declval<std::istringstream&>()) | take(2))> &&
              !std::ranges::forward_range<decltype(read_once(std::declval<std::istringstream&>()) | take(2))>);

TEST_CASE("the adaptors of a range give what the views of the standard library give") {
  for (std::size_t n = 0; n < 9; ++n) {
    const auto count = static_cast<std::ptrdiff_t>(n);
    CHECK(listed(numbers | take(n)) == listed(numbers | std::views::take(count)));
    CHECK(listed(numbers | drop(n)) == listed(numbers | std::views::drop(count)));
    CHECK(listed(numbers | drop(n) | take(2)) == listed(numbers | std::views::drop(count) | std::views::take(2)));
  }
  CHECK(listed(numbers | map([](int i) { return 2 * i; })) == std::vector<int>{0, 2, 4, 6, 8, 10, 12});
}

TEST_CASE("a range that can be read only once is cut in the same way, and no sample is taken beyond what is asked for") {
  std::istringstream text{"0 1 2 3 4 5 6"};
  CHECK(listed(read_once(text) | take(2)) == std::vector<int>{0, 1});
  CHECK(listed(read_once(text) | shard(1, 2)) == std::vector<int>{3, 5});
  std::istringstream again{"0 1 2 3 4"};
  std::vector<std::vector<int>> batches;
  for (const auto& b : read_once(again) | batch(2)) batches.emplace_back(b.begin(), b.end());
  CHECK(batches == std::vector<std::vector<int>>{{0, 1}, {2, 3}, {4}});
}

TEST_CASE("passes of a range that can be begun again are independent, and empty ranges stay empty") {
  const auto pairs = numbers | drop(1) | take(4) | batch(3);
  auto first = pairs.begin();
  const auto kept = *first++;
  CHECK(listed(*first) == std::vector<int>{4});
  CHECK(listed(kept) == std::vector<int>{1, 2, 3});
  CHECK(first != pairs.begin());
  const std::list<int> none;
  CHECK(listed(none | repeat(3)).empty());
  CHECK(listed(none | repeat()).empty());
  CHECK(listed(numbers | repeat(0)).empty());
  CHECK(listed(numbers | take(0) | repeat(3)).empty());
}

}  // namespace ruled_range_test
