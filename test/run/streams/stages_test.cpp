// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/stages.hpp>

#include <doctest/doctest.h>

#include <stdexcept>

namespace stages_test {

using namespace ipuflow;

TEST_CASE("stages are constants that hold what they were given") {
  constexpr auto positive = run::filter([](int n) { return n > 0; });
  static_assert(positive.keeps(1) && !positive.keeps(0));
  constexpr auto halves = run::flat_map([](int n) { return n / 2; });
  static_assert(halves.what(8) == 4);
  static_assert(run::batch(3).size == 3);
}

TEST_CASE("a batch of nothing is refused") {
  CHECK_THROWS_WITH_AS((void)run::batch(0), "ipuflow: a batch of 0 items is never full; give run::batch a size of at least 1", error);
}

}  // namespace stages_test
