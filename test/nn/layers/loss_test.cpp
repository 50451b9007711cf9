// SPDX-License-Identifier: BSL-1.0
// A loss gives the predictions back, unchanged, and one number, in single precision whatever the predictions are in.
#include "layer_check.hpp"

#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/loss.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

namespace loss_test {

using namespace nn_test;

namespace {

template <class Predictions, class Label>
using out = decltype(output_of(nn::cross_entropy, Predictions{}, Label{}));

static_assert(std::is_same_v<out<tensor<float, 10>, std::uint8_t>, std::tuple<tensor<float, 10>, tensor<float>>>);
static_assert(std::is_same_v<out<tensor<half, 3>, std::size_t>, std::tuple<tensor<half, 3>, tensor<float>>>);
static_assert(layer_for<nn::cross_entropy_t, tensor<float, 10>, int>);
static_assert(!layer_for<nn::cross_entropy_t, tensor<float, 10>> && !layer_for<nn::cross_entropy_t, tensor<float, 10>, float> &&
              !layer_for<nn::cross_entropy_t, tensor<float, 2, 5>, int>);

}  // namespace

TEST_CASE("predictions and loss are two values") {
  CHECK(std::is_same_v<result_of<nn::cross_entropy_t, tensor<float, 10>, const std::uint8_t&>,
                       values<tensor<float, 10>, tensor<float>>>);
}

namespace {

/// A loss of 5 classes on more samples than a group holds.
template <class Layer = nn::cross_entropy_t>
struct classification {
  static constexpr std::size_t samples = nn::lane_count + 2;
  using in = nn::in<shape<5>, std::uint8_t>;
  using out = nn::out<shape<5>, shape<>>;
  owned<double, shape<5>> x{samples}, d_x{samples};
  owned<std::uint8_t, shape<>> label{samples};
  owned<double, shape<>> loss{samples}, d_loss{samples};

  classification() {
    x.randomise(1);
    d_loss.randomise(2);
    for (std::size_t s = 0; s < samples; ++s) label.set(s, 0, static_cast<std::uint8_t>(s % 5));
  }
  void forward() {
    nn::impl::run_forward(Layer{}, nn::forward_pass<double, in, out>{{x.read(), label.read()}, {x.view(), loss.view()}});
  }
  double objective() {
    forward();
    double sum = 0;
    for (std::size_t s = 0; s < samples; ++s) sum += loss.get(s, 0) * d_loss.get(s, 0);
    return sum;
  }
  void check_gradients() {
    using pass = nn::inputs_pass<double, in, out>;
    nn::impl::run_backward_inputs(
        Layer{}, pass{{x.read(), label.read()}, {x.read(), loss.read()}, {x.read(), d_loss.read()}, {d_x.view()}});
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t e = 0; e < 5; ++e) {
        const double before = x.get(s, e);
        x.set(s, e, before + 1e-5);
        const double above = objective();
        x.set(s, e, before - 1e-5);
        const double below = objective();
        x.set(s, e, before);
        CHECK(d_x.get(s, e) == doctest::Approx((above - below) / 2e-5).epsilon(1e-6).scale(1));
      }
    }
  }
};

}  // namespace

TEST_CASE("Cross-entropy is minus the logarithm of the right class's share, and so is its gradient") {
  classification<> test;
  test.forward();
  double total = 0;
  for (std::size_t e = 0; e < 5; ++e) total += std::exp(test.x.get(7 % test.samples, e));
  const std::size_t right = 7 % test.samples % 5;
  CHECK(test.loss.get(7 % test.samples, 0) ==
        doctest::Approx(-std::log(std::exp(test.x.get(7 % test.samples, right)) / total)));
  test.check_gradients();
}

TEST_CASE("Label smoothing gives a part of the share to all classes, as PyTorch does") {
  classification<nn::cross_entropy_of_t<{.smoothing = 0.3}>> test;
  test.forward();
  for (const std::size_t s : {std::size_t{0}, test.samples - 1}) {
    double total = 0, expected = 0;
    for (std::size_t e = 0; e < 5; ++e) total += std::exp(test.x.get(s, e));
    for (std::size_t e = 0; e < 5; ++e) {
      const double wanted = 0.3 / 5 + (e == s % 5 ? 0.7 : 0);
      expected -= wanted * std::log(std::exp(test.x.get(s, e)) / total);
    }
    CHECK(test.loss.get(s, 0) == doctest::Approx(expected));
  }
  test.check_gradients();
}

TEST_CASE("An ignored label has no loss and no gradient, and need be no class") {
  classification<nn::cross_entropy_of_t<{.smoothing = 0.1, .ignored = 255}>> test;
  classification<nn::cross_entropy_of_t<{.smoothing = 0.1}>> all;
  for (const std::size_t s : {std::size_t{1}, test.samples - 1}) test.label.set(s, 0, 255);
  test.forward();
  all.forward();
  test.check_gradients();
  for (std::size_t s = 0; s < test.samples; ++s) {
    const bool ignored = test.label.get(s, 0) == 255;
    CHECK(test.loss.get(s, 0) == (ignored ? 0 : all.loss.get(s, 0)));
    for (std::size_t e = 0; e < 5; ++e) CHECK((test.d_x.get(s, e) == 0) == ignored);
  }
}

TEST_CASE("The gradient of an ignored sample is zero even if its numbers are none") {
  using options = nn::cross_entropy_of_t<{.smoothing = 0.1, .ignored = 0}>;
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    classification<options> test, plain;
    for (auto* both : {&test, &plain}) both->forward();
    for (std::size_t e = 0; e < 5; ++e) test.x.set(5, e, odd);  // its label is 0
    using pass = nn::inputs_pass<double, classification<options>::in, classification<options>::out>;
    for (auto* both : {&test, &plain})
      nn::impl::run_backward_inputs(options{}, pass{{both->x.read(), both->label.read()}, {both->x.read(), both->loss.read()},
                                                    {both->x.read(), both->d_loss.read()}, {both->d_x.view()}});
    for (std::size_t s = 0; s < test.samples; ++s)
      for (std::size_t e = 0; e < 5; ++e) CHECK(test.d_x.get(s, e) == plain.d_x.get(s, e));
  }
}

TEST_CASE("A label that is no class is refused with its sample, wherever it is") {
  classification<> test;
  test.label.set(test.samples - 1, 0, 5);
  const auto caught = [&]() -> std::string {
    try {
      test.forward();
    } catch (const error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(caught() == "ipuflow: sample " + std::to_string(test.samples - 1) +
                        " of a micro-batch has label 5 but the network has 5 classes; labels count from 0");
}

TEST_CASE("a label below 0 is told as it is, with the way to leave such samples out") {
  using fault = rejected<nn::nn_fault>;
  CHECK_THROWS_WITH_AS(nn::impl::checked_label(std::int32_t{-100}, 3, 10),
                       "ipuflow: sample 3 of a micro-batch has label -100; labels count from 0, and a sample that is to be left out has "
                       "the label that nn::cross_entropy_of<{.ignored = -100}> ignores", fault);
  CHECK_THROWS_WITH_AS(nn::impl::checked_label(std::int8_t{-128}, 0, 10), doctest::Contains("has label -128;"), fault);
  CHECK_THROWS_WITH_AS(nn::impl::checked_label(std::uint8_t{255}, 0, 10), doctest::Contains("has label 255 but"), fault);
  CHECK_THROWS_WITH_AS(nn::impl::checked_label(static_cast<std::uint64_t>(-1), 0, 10),
                       doctest::Contains("has label 18446744073709551615 but"), fault);
  CHECK(nn::impl::checked_label(std::int64_t{9}, 0, 10) == 9);
}

TEST_CASE("Mean squared error and its gradients") {
  using values = owned<double, shape<2, 2, 1>>;
  values x{3}, target{3}, d_x{3}, d_target{3};
  owned<double, shape<>> loss{3}, d_loss{3};
  x.randomise(1);
  target.randomise(2);
  d_loss.randomise(3);
  using in = nn::in<shape<2, 2, 1>, shape<2, 2, 1>>;
  using out = nn::out<shape<2, 2, 1>, shape<>>;
  nn::impl::run_forward(nn::mean_squared_error,
              nn::forward_pass<double, in, out>{{x.read(), target.read()}, {x.view(), loss.view()}});
  double expected = 0;
  for (std::size_t e = 0; e < 4; ++e) expected += std::pow(x.get(2, e) - target.get(2, e), 2) / 4;
  CHECK(loss.get(2, 0) == doctest::Approx(expected));
  const auto backward = [&](nn::batch<double, shape<2, 2, 1>> to_x, nn::batch<double, shape<2, 2, 1>> to_target) {
    nn::impl::run_backward_inputs(nn::mean_squared_error,
                        nn::inputs_pass<double, in, out>{{x.read(), target.read()},
                                                         {x.read(), loss.read()},
                                                         {x.read(), d_loss.read()},
                                                         {to_x, to_target}});
  };
  backward(d_x.view(), d_target.view());
  backward(d_x.view(), {});
  for (std::size_t e = 0; e < 4; ++e) {
    const double slope = d_loss.get(1, 0) * 2 * (x.get(1, e) - target.get(1, e)) / 4;
    CHECK(d_x.get(1, e) == doctest::Approx(slope));
    CHECK(d_target.get(1, e) == doctest::Approx(-slope));
  }
}

}  // namespace loss_test
