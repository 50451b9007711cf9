// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/stop_after.hpp>

#include <doctest/doctest.h>

namespace stop_after_test {

using ipuflow::schedule::stop_after;

TEST_CASE("no time is over at once, a long one is not") {
  CHECK(stop_after{0}());
  CHECK_FALSE(stop_after{3600}());
}

}  // namespace stop_after_test
