// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/math.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace math_test {

namespace math = ipuflow::math;

TEST_CASE("the functions are those of <cmath>, in the type of their argument") {
  static_assert(sizeof(math::sqrt(2.0f)) == 4 && sizeof(math::exp(2.0f)) == 4 && sizeof(math::pow(2.0f, 2.0f)) == 4);
  for (const double x : {1e-30, 0.25, 1.0, 3.75, 81.0}) {
    const auto f = static_cast<float>(x);
    CHECK((math::sqrt(x) == std::sqrt(x) && math::sqrt(f) == std::sqrt(f)));
    CHECK((math::exp(x) == std::exp(x) && math::exp(f) == std::exp(f)));
    CHECK((math::log(x) == std::log(x) && math::log(f) == std::log(f) && math::log1p(x) == std::log1p(x)));
    CHECK((math::pow(x, 1.5) == std::pow(x, 1.5) && math::pow(f, 1.5f) == std::pow(f, 1.5f)));
    CHECK((math::sin(f) == std::sin(f) && math::cos(f) == std::cos(f) && math::cos(x) == std::cos(x)));
    CHECK((math::tanh(f) == std::tanh(f) && math::erf(f) == std::erf(f)));
    CHECK((math::abs(-x) == x && math::rounded(x + 0.5) == std::llround(x + 0.5)));
    int power = 0;
    std::frexp(x, &power);
    CHECK(math::exponent(x) == power - 1);
  }
  CHECK(math::exponent(std::numeric_limits<double>::denorm_min()) == -1074);
  CHECK((math::is_finite(1e308) && !math::is_finite(std::numeric_limits<double>::infinity()) && !math::is_finite(std::nan(""))));
}

}  // namespace math_test
