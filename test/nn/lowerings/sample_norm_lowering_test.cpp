// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/lowerings/sample_norm_lowering.hpp>

namespace sample_norm_lowering_test {

using namespace nn_test;

TEST_CASE("Layer and group norm on tiles are the host's, in each pass") {
  check_lowering(nn::layer_norm, tensor<float, 13>{});
  check_lowering(nn::layer_norm, tensor<float, 2, 3, 5>{});
  check_lowering(nn::group_norm<2>, tensor<float, 6, 3, 5>{});
  check_lowering(nn::group_norm<3>, tensor<float, 3, 7, 1>{});
}

}  // namespace sample_norm_lowering_test
