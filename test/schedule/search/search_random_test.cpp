// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/search_random.hpp>

#include <doctest/doctest.h>

namespace search_random_test {

using ipuflow::schedule::impl::search_random;

TEST_CASE("a seed gives the same numbers, below their limit, and each of few comes up") {
  search_random one{4};
  search_random two{4};
  search_random other{5};
  bool differs = false;
  std::size_t seen[6] = {};
  for (int i = 0; i < 600; ++i) {
    const std::size_t drawn = one(6);
    CHECK(drawn == two(6));
    differs = differs || drawn != other(6);
    ++seen[drawn];
  }
  CHECK(differs);
  for (const std::size_t s : seen) CHECK(s > 60);
}

}  // namespace search_random_test
