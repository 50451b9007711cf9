// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/scaling.hpp>

#include <doctest/doctest.h>

namespace scaling_test {

using namespace ipuflow;

TEST_CASE("Pixels are scaled to mean 0 and deviation 1 of those that were measured") {
  const train::scaling how = train::scaling::of_pixels(0.25f, 0.5f);
  CHECK(255 * how.scale + how.shift == doctest::Approx((1 - 0.25) / 0.5));
  CHECK(how.shift == doctest::Approx(-0.5));
  CHECK(how.changes());
}

TEST_CASE("Inputs are left as they come unless a scaling says otherwise") {
  CHECK_FALSE(train::scaling{}.changes());
  CHECK(train::scaling{.shift = 1}.changes());
  CHECK(train::scaling{.scale = 2}.changes());
}

}  // namespace scaling_test
