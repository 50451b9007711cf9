// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/softmax.hpp>

#include <cmath>
#include <cstddef>

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

TEST_CASE("Halves are added up in float: of 4,096 equal ones each has its share") {
  bench<half, nn::softmax_t, tensor<half, 4096>> test{1};
  for (std::size_t e = 0; e < 4096; ++e) {
    test.x.set(0, e, half{1});
    test.d_y.set(0, e, half{1});
  }
  test.forward();
  test.backward();
  for (std::size_t e = 0; e < 4096; ++e) {
    REQUIRE(test.y.get(0, e) == half{0x1p-12f});
    REQUIRE(test.d_x.get(0, e) == half{0});
  }
}

}  // namespace softmax_test
