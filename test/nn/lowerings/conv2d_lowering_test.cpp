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

TEST_CASE("By hand: one place of a 3 x 3 kernel, on one tile") {
  // The array: for each of 9 taps 44 bundles of a worker and 12 + 50 cycles of the supervisor, of which 32 load weights; 6 bundles
  // zero the sum, 348 cycles are around it all. The sum is copied to where the output is, and one bias is added in place.
  constexpr std::uint64_t sums = 348 + 9 * (12 + 50) + 6 * (6 + 9 * 44), bias = 11 + 6 * (58 + 3);
  CHECK(count_forward(nn::conv2d<1, 3>, tensor<float, 1, 3, 3>{}, 1) == counted{.compute = sums + local_copy + bias, .vertices = 2});
}

}  // namespace conv2d_lowering_test
