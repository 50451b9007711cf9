// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/functions.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace functions_test {

using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("slopes are those of the functions, by finite differences") {
  const struct {
    const gradient& back;
    const unary& function;
  } pairs[] = {{gradient::relu, unary::relu},
               {gradient::sigmoid, unary::sigmoid},
               {gradient::tanh, unary::tanh},
               {gradient::gelu, unary::gelu},
               {gradient::swish, unary::swish}};
  for (const auto& [back, function] : pairs) {
    for (float x = -3.05f; x < 3; x += 0.1f) {
      const float h = 1e-2f;
      const float wanted = (function(x + h) - function(x - h)) / (2 * h);
      const float seen = back.of_input ? x : function(x);
      CHECK(back.slope(seen) == doctest::Approx(wanted).epsilon(0.02).scale(0.1));
    }
  }
}

TEST_CASE("inverse pairs, and what comparisons give") {
  for (float x = 0.1f; x < 4; x += 0.3f) {
    CHECK(unary::log(unary::exp(x)) == doctest::Approx(x));
    CHECK(unary::sqrt(unary::square(x)) == doctest::Approx(x));
    CHECK(unary::rsqrt(x) == doctest::Approx(unary::reciprocal(unary::sqrt(x))));
    CHECK(binary::pow(x, 2) == doctest::Approx(unary::square(x)));
    CHECK(unary::negate(x) == -x);
    CHECK(unary::copy(x) == x);
    CHECK(binary::div(x, x) == 1);
    CHECK(binary::sub(binary::add(x, 2), x) == doctest::Approx(2));
  }
  CHECK(binary::less(1, 2) == 1);
  CHECK(binary::greater(1, 2) == 0);
  CHECK(binary::equal(2, 2) == 1);
  CHECK(binary::max(1, 2) == 2);
  CHECK(binary::min(1, 2) == 1);
  CHECK(std::isnan(unary::relu(std::numeric_limits<float>::quiet_NaN())));
  CHECK(unary::sin(0) == 0);
  CHECK(unary::cos(0) == 1);
  CHECK(unary::erf(10) == 1);
}

TEST_CASE("a gelu and a swish end in x and 0, and their slopes in 1 and 0, at infinity as before it") {
  const struct {
    const gradient& back;
    const unary& function;
  } pairs[] = {{gradient::gelu, unary::gelu}, {gradient::swish, unary::swish}};
  for (const auto& [back, function] : pairs) {
    for (const float x : {200.0f, 1e4f, 1e10f, 3e38f, INFINITY}) {
      CHECK(function(x) == x);
      CHECK(function(-x) == 0);
      CHECK(back.slope(x) == 1);
      CHECK(back.slope(-x) == 0);
    }
    CHECK(std::isnan(function(NAN)));
    CHECK(std::isnan(back.slope(NAN)));
  }
}

TEST_CASE("no gradient passes a relu that is closed, be it infinite or none") {
  const float seen[] = {0, 0, 0, 2, 2}, given[] = {INFINITY, NAN, -3, INFINITY, -3};
  float made[5];
  gradient::relu.values(seen, given, made, 5);
  const float wanted[] = {0, 0, 0, INFINITY, -3};
  for (std::size_t i = 0; i < 5; ++i) CHECK(made[i] == wanted[i]);
}

}  // namespace functions_test
