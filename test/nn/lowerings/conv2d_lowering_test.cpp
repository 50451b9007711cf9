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
}

}  // namespace conv2d_lowering_test
