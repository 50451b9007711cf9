// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/range_view.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/load.hpp>

#include <doctest/doctest.h>

#include <range/v3/view/stride.hpp>

#include <list>
#include <ranges>
#include <utility>
#include <vector>

namespace range_view_test {

using namespace ipuflow::feed;

static_assert(ranges::view_<decltype(as_view(std::declval<std::list<int>&>()))>);
static_assert(ranges::view_<decltype(as_view(std::list<int>{}))>);
static_assert(ranges::view_<decltype(as_view(std::views::iota(0) | std::views::filter([](int i) { return i > 3; })))>);

TEST_CASE("what has a name is referred to, a temporary is kept by all copies") {
  std::list<int> numbers{1, 2};
  const auto named = as_view(numbers);
  numbers.push_front(9);
  CHECK(*named.begin() == 9);
  const auto temporary = as_view(std::list<int>{4, 5});
  const auto copy = temporary;
  CHECK(&*copy.begin() == &*temporary.begin());
}

TEST_CASE("a dataset goes through views of range-v3 and back") {
  const std::list<int> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  const auto odd = as_view(numbers | drop(1)) | ranges::views::stride(2);
  std::vector<int> seen;
  for (const int i : odd | take(3)) seen.push_back(i);
  CHECK(seen == std::vector<int>{1, 3, 5});
  auto steps = load(odd, 2);
  CHECK((*steps.begin())[1] == 3);
}

}  // namespace range_view_test
