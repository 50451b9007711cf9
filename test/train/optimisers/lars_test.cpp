// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/optimisers/lars.hpp>

#include "optimiser_reference.hpp"

#include <ipuflow/core/half.hpp>

#include <array>
#include <cmath>

namespace lars_test {

using namespace ipuflow;

namespace {

/// How far the parameters of twenty updates are from those of the definition, in double precision.
template <class Optimiser>
double farthest_from_definition(const Optimiser& o) {
  constexpr std::size_t count = 9;
  const double decay{o.weight_decay}, momentum{o.momentum};
  std::array<float, count> parameters{}, gradients{};
  test::remembered<Optimiser> state{count};
  std::array<double, count> expected{}, velocity{};
  for (std::size_t i = 0; i < count; ++i) expected[i] = double{parameters[i] = test::made_up_number(1, i)};
  for (std::size_t step = 1; step <= 20; ++step) {
    double squares = 0, slopes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      gradients[i] = test::made_up_number(step + 1, i);
      squares += expected[i] * expected[i];
      slopes += double{gradients[i]} * double{gradients[i]};
    }
    const double length = std::sqrt(squares);
    const double by = o.by_length ? double{o.trust} * length / (std::sqrt(slopes) + decay * length + double{o.epsilon}) : 1;
    o.update(std::span<float>{parameters}, std::span<const float>{gradients}, state.view(), step);
    for (std::size_t i = 0; i < count; ++i) {
      velocity[i] = momentum * velocity[i] + double{o.rate.at(step)} * by * (double{gradients[i]} + decay * expected[i]);
      expected[i] -= velocity[i];
    }
  }
  double far = 0;
  for (std::size_t i = 0; i < count; ++i) far = std::fmax(far, std::fabs(double{parameters[i]} - expected[i]));
  return far;
}

const train::learning_rate falls = train::learning_rate{4.0f}.then_steps(10, 0.5f, 1);  // so that the place of the rate tells

}  // namespace

TEST_CASE("LARS by its paper: momentum whose rate is a share of the tensor's length by its gradient's") {
  CHECK(farthest_from_definition(train::lars{.rate = falls}) < 1e-5);
  const train::lars other{.rate = falls, .momentum = 0.5f, .weight_decay = 0.25f, .trust = 0.01f, .epsilon = 0.5f};
  CHECK(farthest_from_definition(other) < 1e-5);
  CHECK(farthest_from_definition(train::basic_lars<half>{.rate = falls}) < 1e-3);
}

TEST_CASE("biases have the rate as it is") {
  const train::lars o{.rate = train::learning_rate{0.05f}.then_steps(10, 0.5f, 1), .by_length = false};
  CHECK(farthest_from_definition(o) < 1e-5);
  CHECK(test::first_update(train::lars{.rate = 0.1f, .weight_decay = 0, .by_length = false}) == doctest::Approx(0.95));
}

TEST_CASE("one update by hand: a thousandth of the tensor's length, whatever the gradient's; zeros have all of the rate") {
  CHECK(test::first_update(train::lars{.weight_decay = 0}) == doctest::Approx(0.999));
  CHECK(test::first_update(train::lars{.weight_decay = 0, .trust = 0.25f, .epsilon = 0.5f}) == doctest::Approx(1 - 0.25 * 0.5));
  float zero = 0;
  const float gradient = 2;
  float velocity = 0;
  train::lars{.rate = 0.1f}.update(std::span{&zero, 1}, std::span{&gradient, 1}, std::span{&velocity, 1}, 1);
  CHECK(zero == doctest::Approx(-0.2));
}

TEST_CASE("a tensor without a slope is pulled towards zero alone") {
  float parameter = 1;
  const float gradient = 0;
  float velocity = 0;
  const train::lars o{.rate = 0.5f, .weight_decay = 0.5f};
  o.update(std::span{&parameter, 1}, std::span{&gradient, 1}, std::span{&velocity, 1}, 1);
  CHECK(parameter == doctest::Approx(0.75));
}

TEST_CASE("figures that are none are found") {
  CHECK(train::lars{.trust = -1}.verify().where == ipuflow::fixed_string{"trust"});
  CHECK(train::lars{.epsilon = -1}.verify().where == ipuflow::fixed_string{"epsilon"});
  CHECK_FALSE(train::lars{}.verify());
}

TEST_CASE("parameters of double keep changes that floats would lose") {
  CHECK(test::doubles_keep_small_changes(train::lars{}));
  CHECK(test::doubles_keep_small_changes(train::lars{.by_length = false}));
}

TEST_CASE("without a slope nothing moves, also with an epsilon of zero") {
  CHECK(test::no_slope_no_change(train::lars{}));
  CHECK(test::no_slope_no_change(train::lars{.by_length = false}));
}

}  // namespace lars_test
