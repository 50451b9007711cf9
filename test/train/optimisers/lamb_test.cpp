// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/optimisers/lamb.hpp>

#include "optimiser_reference.hpp"

#include <array>
#include <cmath>

namespace lamb_test {

using namespace ipuflow;

TEST_CASE("LAMB by its paper: Adam's direction, as long as the tensor") {
  const train::lamb optimiser{.rate = 1e-2f};
  constexpr std::size_t count = 9;
  std::array<float, count> parameters{}, gradients{};
  std::array<float, 2 * count> state{};
  std::array<double, count> expected{}, mean{}, square{};
  for (std::size_t i = 0; i < count; ++i) expected[i] = double{parameters[i] = test::made_up_number(1, i)};
  for (std::size_t step = 1; step <= 20; ++step) {
    for (std::size_t i = 0; i < count; ++i) gradients[i] = test::made_up_number(step + 1, i);
    optimiser.update(std::span<float>{parameters}, std::span<const float>{gradients}, std::span<float>{state}, step);
    std::array<double, count> along{};
    double length = 0, step_length = 0;
    for (std::size_t i = 0; i < count; ++i) {
      mean[i] = 0.9 * mean[i] + 0.1 * double{gradients[i]};
      square[i] = 0.999 * square[i] + 0.001 * double{gradients[i]} * double{gradients[i]};
      const double m = mean[i] / (1 - std::pow(0.9, static_cast<double>(step)));
      const double v = square[i] / (1 - std::pow(0.999, static_cast<double>(step)));
      along[i] = m / (std::sqrt(v) + 1e-6) + 1e-2 * expected[i];
      length += expected[i] * expected[i];
      step_length += along[i] * along[i];
    }
    for (std::size_t i = 0; i < count; ++i) expected[i] -= 1e-2 * std::sqrt(length / step_length) * along[i];
  }
  for (std::size_t i = 0; i < count; ++i) CHECK(double{parameters[i]} == doctest::Approx(expected[i]).epsilon(1e-4));
}

TEST_CASE("one update by hand; a tensor of zeros takes Adam's step") {
  CHECK(test::first_update(train::lamb{.rate = 0.1f, .weight_decay = 0}) == doctest::Approx(0.9));
  float zero = 0;
  const float gradient = 2;
  std::array<float, 2> state{};
  train::lamb{.rate = 0.1f}.update(std::span{&zero, 1}, std::span{&gradient, 1}, std::span<float>{state}, 1);
  CHECK(zero == doctest::Approx(-0.1));
}

TEST_CASE("parameters of double keep changes that floats would lose") {
  CHECK(test::doubles_keep_small_changes(train::lamb{}));
}

TEST_CASE("without a slope nothing moves, also with an epsilon of zero") {
  CHECK(test::no_slope_no_change(train::lamb{}));
}

}  // namespace lamb_test
