// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/norm.hpp>

namespace sample_norm_kernels_test {

using namespace nn_test;

TEST_CASE("Gradients of layer and group norm") {
  check_layer(nn::layer_norm, tensor<float, 7>{}, 1, 1e-5);
  check_layer(nn::layer_norm, tensor<float, 2, 3, 2>{}, 1, 1e-5);
  check_layer(nn::group_norm<1>, tensor<float, 3, 2, 2>{}, 1, 1e-5);
  check_layer(nn::group_norm<3>, tensor<float, 6, 2, 3>{}, 1, 1e-5);
}

TEST_CASE("Each group of each sample has mean 0 and variance 1") {
  bench<double, nn::group_norm_t<2>, tensor<double, 4, 5, 1>> test{nn::lane_count + 1};
  nn::impl::initialise_norm(4, test.values.data());
  test.forward();
  for (std::size_t s = 0; s < test.x.samples; ++s) {
    for (std::size_t group = 0; group < 2; ++group) {
      double sum = 0, squares = 0;
      for (std::size_t e = group * 10; e < group * 10 + 10; ++e) {
        sum += test.y.get(s, e);
        squares += test.y.get(s, e) * test.y.get(s, e);
      }
      CHECK(sum == doctest::Approx(0).epsilon(1e-9).scale(1));
      CHECK(squares == doctest::Approx(10).epsilon(1e-3));
    }
  }
}

}  // namespace sample_norm_kernels_test
