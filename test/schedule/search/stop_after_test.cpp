// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/stop_after.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace stop_after_test {

using ipuflow::schedule::stop_after;

TEST_CASE("no time is over at once, a long one is not") {
  CHECK(stop_after{0}());
  CHECK_FALSE(stop_after{3600}());
}

TEST_CASE("a time that no clock counts never comes, one that is none is over at once") {
  for (const double seconds : {1e9, 1e10, 1e300, std::numeric_limits<double>::infinity()}) CHECK_FALSE(stop_after{seconds}());
  CHECK(stop_after{-1}());
  CHECK(stop_after{-1e300}());
  CHECK(stop_after{std::numeric_limits<double>::quiet_NaN()}());
}

}  // namespace stop_after_test
