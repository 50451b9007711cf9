// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/norm.hpp>

namespace batch_norm_kernels_test {

using namespace nn_test;

TEST_CASE("Gradients of batch norm, which flow between samples, and what padding must not change") {
  check_gradients<nn::batch_norm_t, tensor<float, 3>>(nn::lane_count + 1, 1, 1e-5);
  check_gradients<nn::batch_norm_t, tensor<float, 2, 2, 3>>(5, 1, 1e-5);
  check_padding<double, nn::batch_norm_t, tensor<float, 3>>(nn::lane_count - 1);
  check_padding<float, nn::batch_norm_t, tensor<float, 2, 2, 3>>(nn::lane_count + 2);
}

TEST_CASE("Running statistics take a tenth of a batch, once, and are what inference uses") {
  bench<double, nn::batch_norm_t, tensor<double, 1>> test{4};
  for (std::size_t s = 0; s < 4; ++s) test.x.set(s, 0, static_cast<double>(s));
  test.values = {1, 0};
  test.forward_with(test.state);
  CHECK(test.state[0] == doctest::Approx(0.15));
  CHECK(test.state[1] == doctest::Approx(0.9 + 0.1 * 5.0 / 3));
  const std::vector<double> state = test.state;

  test.context.updates_state = false;
  test.forward_with(test.state);
  CHECK(test.state == state);

  test.context.training = false;
  test.context.updates_state = true;
  test.forward_with(test.state);
  CHECK(test.state == state);
  CHECK(test.y.get(2, 0) == doctest::Approx((2 - state[0]) / std::sqrt(state[1] + nn::impl::norm_epsilon)));
}

TEST_CASE("Gradients in inference see constant statistics") {
  bench<double, nn::batch_norm_t, tensor<double, 1>> test{3};
  test.context.training = false;
  test.state = {0.5, 4};
  test.forward();
  test.backward();
  CHECK(test.d_x.get(1, 0) == doctest::Approx(test.d_y.get(1, 0) * test.values[0] / std::sqrt(4 + nn::impl::norm_epsilon)));
}

}  // namespace batch_norm_kernels_test
