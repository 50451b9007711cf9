// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/function_values.hpp>

#include <doctest/doctest.h>

namespace function_values_test {

using namespace ipuflow::ipu;

TEST_CASE("slopes are those of the functions, by finite differences") {
  const struct {
    gradient slope;
    unary function;
  } pairs[] = {{gradient::relu, unary::relu},
               {gradient::sigmoid, unary::sigmoid},
               {gradient::tanh, unary::tanh},
               {gradient::gelu, unary::gelu}};
  for (const auto& [slope, function] : pairs) {
    for (float x = -3.05f; x < 3; x += 0.1f) {
      const float h = 1e-2f;
      const float wanted = (value_of(function, x + h) - value_of(function, x - h)) / (2 * h);
      const float seen = slope == gradient::gelu ? x : value_of(function, x);
      CHECK(slope_of(slope, seen) == doctest::Approx(wanted).epsilon(0.02).scale(0.1));
    }
  }
}

TEST_CASE("inverse pairs, and what comparisons give") {
  for (float x = 0.1f; x < 4; x += 0.3f) {
    CHECK(value_of(unary::log, value_of(unary::exp, x)) == doctest::Approx(x));
    CHECK(value_of(unary::sqrt, value_of(unary::square, x)) == doctest::Approx(x));
    CHECK(value_of(unary::rsqrt, x) == doctest::Approx(value_of(unary::reciprocal, value_of(unary::sqrt, x))));
    CHECK(value_of(binary::pow, x, 2) == doctest::Approx(value_of(unary::square, x)));
    CHECK(value_of(unary::negate, x) == -x);
    CHECK(value_of(unary::copy, x) == x);
    CHECK(value_of(binary::div, x, x) == 1);
    CHECK(value_of(binary::sub, value_of(binary::add, x, 2), x) == doctest::Approx(2));
  }
  CHECK(value_of(binary::less, 1, 2) == 1);
  CHECK(value_of(binary::greater, 1, 2) == 0);
  CHECK(value_of(binary::equal, 2, 2) == 1);
  CHECK(value_of(binary::max, 1, 2) == 2);
  CHECK(value_of(binary::min, 1, 2) == 1);
  CHECK(value_of(unary::sin, 0) == 0);
  CHECK(value_of(unary::cos, 0) == 1);
  CHECK(value_of(unary::erf, 10) == 1);
}

}  // namespace function_values_test
