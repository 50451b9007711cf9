// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/linear.hpp>

namespace linear_kernels_test {

using namespace nn_test;

namespace {

template <std::size_t O, std::size_t I>
void check(std::size_t stride) {
  bench<float, nn::linear_t<O>, tensor<float, I>> test{3 * nn::lane_count + 1};
  test.forward();
  for (std::size_t s = 0; s < test.x.samples; ++s) {
    for (std::size_t o = 0; o < O; ++o) {
      double expected = test.values[O * I + o];
      for (std::size_t i = 0; i < I; ++i) {
        expected += static_cast<double>(test.values[o * I + i]) * static_cast<double>(test.x.get(s, i));
      }
      REQUIRE(static_cast<double>(test.y.get(s, o)) == doctest::Approx(expected).epsilon(1e-4).scale(1));
    }
  }
  check_layer(nn::linear<O>, tensor<float, I>{}, stride);
  check_gradients<nn::linear_t<O>, tensor<float, I>>(5 * nn::lane_count - 1, stride * 11);
}

}  // namespace

TEST_CASE(
    "A linear layer is a product of matrices, and so are its gradients, at odd sizes and for any number of groups") {
  check<1, 1>(1);
  check<3, 5>(1);
  check<10, 2 * nn::lane_count + 3>(3);
  check<25, 7 * nn::lane_count>(13);
}

}  // namespace linear_kernels_test
