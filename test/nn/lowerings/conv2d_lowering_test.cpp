// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/lowerings/conv2d_lowering.hpp>

namespace conv2d_lowering_test {

using namespace nn_test;

TEST_CASE("A convolution on tiles is the host's, in each pass: strides, padding, groups") {
  check_lowering(nn::conv2d<3, 3>, tensor<float, 2, 7, 5>{});
  check_lowering(nn::conv2d<4, 5, 2, 2>, tensor<float, 1, 9, 8>{});
  check_lowering(nn::conv2d<6, 3, 1, 1, 3>, tensor<float, 3, 5, 6>{});
  check_lowering(nn::conv2d<2, 1, 3>, tensor<float, 2, 4, 7>{});
  check_lowering(without_biases(nn::conv2d<4, 3, 1, 1>), tensor<float, 2, 5, 6>{});
}

TEST_CASE("A convolution of as many groups as channels, more than there are tiles too") {
  check_lowering(nn::conv2d<12, 3, 1, 1, 12>, tensor<float, 12, 5, 4>{});
  check_lowering(without_biases(nn::conv2d<90, 3, 2, 1, 90>), tensor<float, 90, 4, 5>{});  // of 40 tiles
  check_lowering(nn::conv2d<90, 3, 1, 1, 45>, tensor<float, 45, 3, 3>{});
}

}  // namespace conv2d_lowering_test
