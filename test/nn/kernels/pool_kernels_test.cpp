// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/pool.hpp>

namespace pool_kernels_test {

using namespace nn_test;

TEST_CASE("Gradients of maxima and averages: squares apart, touching, overlapping, and over the edge") {
  check_layer(nn::max_pool<2>, tensor<float, 2, 4, 6>{});
  check_layer(nn::max_pool<2>, tensor<float, 1, 5, 7>{});
  check_layer(nn::max_pool<3, 2, 1>, tensor<float, 2, 6, 7>{});
  check_layer(nn::max_pool<2, 3>, tensor<float, 1, 8, 9>{});
  check_layer(nn::average_pool<2>, tensor<float, 2, 4, 6>{});
  check_layer(nn::average_pool<3, 1, 1>, tensor<float, 1, 4, 5>{});
}

TEST_CASE("The maximum is that of the square, padding never wins") {
  bench<float, nn::max_pool_t<3, 2, 1>, tensor<float, 1, 3, 3>> test{2};
  test.x.fill(-5);
  test.x.set(1, 4, -3);
  test.forward();
  for (std::size_t e = 0; e < 4; ++e) {
    CHECK(test.y.get(0, e) == -5);
    CHECK(test.y.get(1, e) == -3);
  }
}

TEST_CASE("Of equal maxima the first gets all of the gradient") {
  bench<float, nn::max_pool_t<2, 2, 0>, tensor<float, 1, 2, 2>> test{1};
  test.x.fill(1);
  test.d_y.fill(7);
  test.forward();
  test.backward();
  CHECK(test.d_x.get(0, 0) == 7);
  CHECK(test.d_x.get(0, 1) == 0);
  CHECK(test.d_x.get(0, 2) == 0);
  CHECK(test.d_x.get(0, 3) == 0);
}

TEST_CASE("An average counts padding as zeros") {
  bench<float, nn::average_pool_t<2, 2, 1>, tensor<float, 1, 2, 2>> test{1};
  test.x.fill(4);
  test.forward();
  for (std::size_t e = 0; e < 4; ++e) CHECK(test.y.get(0, e) == 1);
}

}  // namespace pool_kernels_test
