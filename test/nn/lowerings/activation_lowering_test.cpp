// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>

namespace activation_lowering_test {

using namespace nn_test;

namespace {

/// x times its sigmoid: an activation that is said once, for both back ends.
struct swish_t : nn::activation<true> {};
template <class V>
V value(swish_t, const V& x) {
  return x * nn::math::sigmoid(x);
}
template <class V>
V slope(swish_t, const V& x) {
  const V s = nn::math::sigmoid(x);
  return s + x * s * (nn::constant<V>(1) - s);
}

/// Twice as much; its slope is asked for at the output.
struct double_t : nn::activation<false> {
  static constexpr std::size_t operations = 2;
};
template <class V>
V value(double_t, const V& x) {
  return x + x;
}
template <class V>
V slope(double_t, const V& y) {
  return nn::constant<V>(2) + V{} * y;
}

}  // namespace

TEST_CASE("An activation of one's own is its value and slope, on the host and on tiles") {
  check_layer(swish_t{}, tensor<float, 3, 5>{});
  check_lowering(swish_t{}, tensor<float, 3, 7>{});
  check_lowering(double_t{}, tensor<float, 3, 7>{});
}

TEST_CASE("It costs what it says: a worker's operations for two numbers, beside the start of its loop") {
  CHECK(nn::impl::activation_cost<double_t>(ipu::mk2, 6 * 4).bundles == 30 + 2 * 2);
  CHECK(nn::impl::activation_cost<swish_t>(ipu::mk2, 1).bundles == 30 + swish_t::operations);
}

TEST_CASE_TEMPLATE("Activations on tiles are the host's, forward and back", Layer, nn::relu_t, nn::sigmoid_t,
                   nn::tanh_t, nn::gelu_t, nn::gelu_by_tanh_t, nn::swish_t) {
  check_lowering(Layer{}, tensor<float, 11>{});
  check_lowering(Layer{}, tensor<float, 2, 5, 3>{});
}

TEST_CASE("By hand: 192 floats on 6 tiles") {
  // Each tile has 32, a worker 6, which are 3 vectors of 3 bundles behind the 17 of the start; 20 cycles of the supervisor.
  CHECK(count_forward(nn::relu, tensor<float, 64>{}, 3) == counted{.compute = 20 + 6 * (17 + 3 * 3), .vertices = 6});
}

}  // namespace activation_lowering_test
