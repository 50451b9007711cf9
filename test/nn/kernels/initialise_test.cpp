// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/kernels/initialise.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace initialise_test {

using namespace ipuflow;

static_assert(nn::random_bits(0, 0) == 0xe220a8397b1dcdafu);  // the published first number of splitmix64
static_assert(nn::random_bits(0, 1) == 0x6e789e6aa1b965f4u);
static_assert(nn::impl::square_root(9) == 3);
static_assert(nn::impl::square_root(0.25) == 0.5);
static_assert(nn::impl::square_root(2) > 1.41421356 && nn::impl::square_root(2) < 1.41421357);

TEST_CASE("Weights are uniform within one over the root of the fan-in, and the same everywhere") {
  constexpr std::size_t count = 20000;
  static float values[count];
  nn::impl::initialise_uniform(values, count, 25, 3);
  double sum = 0, squares = 0;
  for (const float value : values) {
    REQUIRE(value >= -0.2f);
    REQUIRE(value < 0.2f);
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  CHECK(sum / count == doctest::Approx(0).epsilon(0.005).scale(1));
  CHECK(squares / count == doctest::Approx(0.04 / 3).epsilon(0.03));
  CHECK(values[0] == doctest::Approx(-0.15462));
}

}  // namespace initialise_test
