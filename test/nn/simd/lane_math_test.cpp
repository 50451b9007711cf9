// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/simd/lane_math.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace lane_math_test {

using namespace ipuflow;

namespace {

template <class T, class Function, class Exact>
void check(Function function, Exact exact, double from, double to, double tolerance) {
  for (double x = from; x < to; x += (to - from) / 997) {
    const T at = static_cast<T>(x);
    const double expected = exact(static_cast<double>(at));
    INFO(x);
    REQUIRE(static_cast<double>(function(nn::lanes<T>::all(at))[1]) ==
            doctest::Approx(expected).epsilon(tolerance).scale(1e-30));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("Functions of lanes are those of the standard library", T, float, double) {
  using all = nn::lanes<T>;
  constexpr double near = sizeof(T) == 4 ? 4e-7 : 1e-14;
  check<T>([](const all& x) { return nn::math::exp(x); }, [](double x) { return std::exp(x); }, -80, 80, near);
  check<T>([](const all& x) { return nn::math::tanh(x); }, [](double x) { return std::tanh(x); }, -9, 9, near);
  check<T>([](const all& x) { return nn::math::sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }, -30, 30,
           near);
  check<T>([](const all& x) { return nn::math::erf(x) + all::all(2); }, [](double x) { return std::erf(x) + 2; }, -5, 5,
           near);
  check<T>([](const all& x) { return nn::math::log(x); }, [](double x) { return std::log(x); }, 1.5, 90, near);
  check<T>([](const all& x) { return nn::math::sqrt(x); }, [](double x) { return std::sqrt(x); }, 0.01, 90, near);
  CHECK(nn::math::exp(all::all(T{-100}))[0] < T(1e-37));
  CHECK(nn::math::exp(all::all(T{88}))[0] > T(1e38));
  CHECK(nn::math::exp(all{})[0] == 1);
}

}  // namespace lane_math_test
