// SPDX-License-Identifier: BSL-1.0
// What works on each element leaves the shape alone, whatever it is.
#include "layer_check.hpp"

#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/activation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace activation_test {

using namespace nn_test;

namespace {

template <class... Tensor>
inline constexpr bool kept = (std::is_same_v<decltype(output_of(nn::relu, Tensor{})), Tensor> && ...);

static_assert(kept<tensor<float>, tensor<half, 3>, tensor<float, 2, 3>, tensor<double, 1, 2, 3, 4, 5>, tensor<float, 0>>);
static_assert(!layer_for<nn::relu_t, float> && !layer_for<nn::relu_t, shape<2>> && !layer_for<nn::relu_t, tensor<int, 2>>);

}  // namespace

TEST_CASE("the same bytes come out as go in") {
  CHECK(bytes_of<decltype(output_of(nn::relu, tensor<half, 20, 4, 4>{}))> == 640_B);
}

namespace {

/// Functions that are not finite at zero, which stands in padding, or have no finite slope there.
struct root_t : nn::activation<false> {};
template <class V>
V value(root_t, const V& x) {
  return nn::math::sqrt(x);
}
template <class V>
V slope(root_t, const V& y) {
  return nn::constant<V>(0.5) / y;
}
struct log_t : nn::activation<true> {};
template <class V>
V value(log_t, const V& x) {
  return nn::math::log(x);
}
template <class V>
V slope(log_t, const V& x) {
  return nn::constant<V>(1) / x;
}

/// Inputs are above zero, and zero in padding.
template <class T, class Layer, class In>
void check_padding_is_zero(Layer, In, std::size_t samples) {
  bench<T, Layer, In> test{samples};
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t e = 0; e < In::elements; ++e) test.x.set(s, e, nn::number<T>(1 + static_cast<double>(e)));
  }
  test.forward();
  test.backward();
  const auto zero_in_padding = [&](const auto& of) {
    double most = 0, all = 0;
    for (const auto& vector : of.lanes) {
      for (std::size_t l = 0; l < nn::lane_count; ++l) all += std::fabs(static_cast<double>(vector[l]));
    }
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t e = 0; e < In::elements; ++e) most += std::fabs(static_cast<double>(of.get(s, e)));
    }
    return all == doctest::Approx(most);  // what is not a number equals nothing
  };
  CHECK(zero_in_padding(test.y));
  CHECK(zero_in_padding(test.d_x));
}

}  // namespace

TEST_CASE("Padding stays zero, values and gradients, whatever the function is there") {
  check_padding_is_zero<float>(root_t{}, tensor<float, 3>{}, nn::lane_count + 1);
  check_padding_is_zero<float>(log_t{}, tensor<float, 5, 3>{}, nn::lane_count + 1);
  check_padding_is_zero<half>(log_t{}, tensor<float, 2, 2, 1>{}, 2 * nn::lane_count - 1);
  check_padding_is_zero<double>(root_t{}, tensor<float, 3>{}, 1);
  check_padding_is_zero<float>(nn::sigmoid, tensor<float, 3>{}, 1);
  check_padding_is_zero<float>(log_t{}, tensor<float, 3>{}, nn::lane_count);
}

TEST_CASE("Gradients of activations") {
  check_layer(nn::relu, tensor<float, 3, 5>{});
  check_layer(nn::sigmoid, tensor<float, 7>{});
  check_layer(nn::tanh, tensor<float, 7>{});
  check_layer(nn::gelu, tensor<float, 2, 2, 2>{});
  check_layer(nn::gelu_by_tanh, tensor<float, 2, 2, 2>{});
  check_layer(nn::swish, tensor<float, 2, 3>{});
}

TEST_CASE("Activations are the functions that they are called after") {
  const auto check = [](auto layer, auto function) {
    bench<float, decltype(layer), tensor<float, 100>> test{2};
    for (std::size_t e = 0; e < 100; ++e) test.x.set(1, e, static_cast<float>(0.2 * static_cast<double>(e) - 10));
    test.forward();
    for (std::size_t e = 0; e < 100; ++e) {
      const double expected = function(static_cast<double>(test.x.get(1, e)));
      CHECK(static_cast<double>(test.y.get(1, e)) == doctest::Approx(expected).epsilon(1e-6).scale(1));
    }
  };
  check(nn::relu, [](double x) { return x > 0 ? x : 0; });
  check(nn::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
  check(nn::tanh, [](double x) { return std::tanh(x); });
  check(nn::gelu, [](double x) { return x * (1 + std::erf(x / std::sqrt(2))) / 2; });
  check(nn::gelu_by_tanh, [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1)) * (x + 0.044715 * x * x * x))); });
  check(nn::swish, [](double x) { return x / (1 + std::exp(-x)); });
}

TEST_CASE("Activations that end in x and 0 do so at infinity as before it, and so do their slopes") {
  const auto check = [](auto layer, auto computed) {
    using T = decltype(computed);
    const double most = std::is_same_v<T, half> ? 6e4 : 1e30;
    for (const double x : {200.0, 1e4, most, HUGE_VAL}) {
      bench<T, decltype(layer), tensor<float, 2>> test{1};
      test.x.set(0, 0, nn::number<T>(x)), test.x.set(0, 1, nn::number<T>(-x));
      test.forward();
      for (std::size_t e = 0; e < 2; ++e) test.d_y.set(0, e, nn::number<T>(1));
      test.backward();
      CHECK(test.y.get(0, 0) == test.x.get(0, 0));
      CHECK(std::fabs(static_cast<double>(test.y.get(0, 1))) < 1e-30);
      CHECK(std::fabs(static_cast<double>(test.d_x.get(0, 0)) - 1) < 1e-3);
      CHECK(std::fabs(static_cast<double>(test.d_x.get(0, 1))) < 1e-30);
    }
  };
  const auto check_all = [&](auto layer) { check(layer, float{}), check(layer, double{}), check(layer, half{}); };
  check_all(nn::gelu);
  check_all(nn::gelu_by_tanh);
  check_all(nn::swish);
}

TEST_CASE("What is not a number leaves each activation as such, for the loss to show") {
  const auto check = [](auto layer) {
    bench<float, decltype(layer), tensor<float, 1>> test{1};
    test.x.set(0, 0, std::numeric_limits<float>::quiet_NaN());
    test.forward();
    CHECK(std::isnan(test.y.get(0, 0)));
  };
  check(nn::relu);
  check(nn::sigmoid);
  check(nn::tanh);
  check(nn::gelu);
  check(nn::gelu_by_tanh);
  check(nn::swish);
}

TEST_CASE("The approximation of a gelu is that far from it and no farther, and ends in x and 0") {
  bench<double, nn::gelu_t, tensor<float, 200>> exact{1};
  bench<double, nn::gelu_by_tanh_t, tensor<float, 200>> near{1};
  for (std::size_t e = 0; e < 200; ++e) exact.x.set(0, e, 0.05 * static_cast<double>(e) - 5), near.x.set(0, e, 0.05 * static_cast<double>(e) - 5);
  exact.forward();
  near.forward();
  double farthest = 0;
  for (std::size_t e = 0; e < 200; ++e) farthest = std::fmax(farthest, std::fabs(exact.y.get(0, e) - near.y.get(0, e)));
  CHECK(farthest > 1e-4);
  CHECK(farthest < 1e-3);
  bench<float, nn::gelu_by_tanh_t, tensor<float, 2>> far{1};
  far.x.set(0, 0, 1e15f);  // whose third power no float has
  far.x.set(0, 1, -1e15f);
  far.d_y.fill(1);
  far.forward();
  far.backward();
  CHECK(far.y.get(0, 0) == 1e15f);
  CHECK(std::fabs(far.y.get(0, 1)) < 1e-20f);
  CHECK(far.d_x.get(0, 0) == 1);
  CHECK(std::fabs(far.d_x.get(0, 1)) < 1e-20f);
}

TEST_CASE("What a relu blocks stays zero even where the gradient is infinite") {
  bench<float, nn::relu_t, tensor<float, 1>> test{1};
  test.x.set(0, 0, -1);
  test.d_y.fill(HUGE_VALF);
  test.forward();
  test.backward();
  CHECK(test.d_x.get(0, 0) == 0);
}

}  // namespace activation_test
