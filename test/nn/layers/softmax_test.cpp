// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/softmax.hpp>

namespace softmax_test {

using namespace nn_test;

TEST_CASE("Gradients of softmax") { check_layer(nn::softmax, tensor<float, 6>{}); }

TEST_CASE("It sums to one, also for numbers whose exponential overflows") {
  bench<float, nn::softmax_t, tensor<float, 3>> test{1};
  test.x.set(0, 0, 1000);
  test.x.set(0, 1, 999);
  test.x.set(0, 2, -1000);
  test.forward();
  CHECK(test.y.get(0, 0) == doctest::Approx(1 / (1 + std::exp(-1.0))));
  CHECK(test.y.get(0, 0) + test.y.get(0, 1) + test.y.get(0, 2) == doctest::Approx(1));
}

}  // namespace softmax_test
