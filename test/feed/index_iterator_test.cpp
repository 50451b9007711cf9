// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/index_iterator.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <vector>

namespace index_iterator_test {

using ipuflow::feed::impl::index_iterator;

static_assert(std::forward_iterator<index_iterator<std::vector<int>>>);

TEST_CASE("it goes from index to index, and refers to what it goes through") {
  std::vector<int> numbers{1, 2, 3};
  index_iterator at{numbers, 1};
  numbers[1] = 9;
  CHECK(*at++ == 9);
  CHECK(*at == 3);
  CHECK(++at == index_iterator{numbers, 3});
}

}  // namespace index_iterator_test
