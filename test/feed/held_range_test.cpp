// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/held_range.hpp>

#include <doctest/doctest.h>

#include <list>
#include <ranges>
#include <vector>

namespace held_range_test {

using ipuflow::feed::impl::held_range;

TEST_CASE("what has a name is referred to, a temporary is kept by all copies") {
  std::list<int> numbers{1, 2};
  const auto named = held_range(numbers);
  numbers.push_front(9);
  CHECK(*named.begin() == 9);
  const auto temporary = held_range(std::list<int>{4, 5});
  const auto copy = temporary;
  CHECK(&*copy.begin() == &*temporary.begin());
}

TEST_CASE("a view is copied, and may be one that only a variable can begin") {
  const std::vector<int> numbers{1, 2, 3, 4, 5};
  auto large = numbers | std::views::filter([](int i) { return i > 3; });
  const auto held = held_range(large);
  std::vector<int> seen;
  for (const int i : held) seen.push_back(i);
  CHECK(seen == std::vector<int>{4, 5});
}

}  // namespace held_range_test
