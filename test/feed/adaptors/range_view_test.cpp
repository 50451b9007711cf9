// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/range_view.hpp>

#include <doctest/doctest.h>

#include <list>
#include <ranges>
#include <utility>

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

}  // namespace range_view_test
