// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>

namespace linear_lowering_test {

using namespace nn_test;

TEST_CASE("A linear layer on tiles is the host's, in each pass") {
  check_lowering(nn::linear<7>, tensor<float, 13>{});
  check_lowering(nn::linear<1>, tensor<float, 3>{});
  check_lowering(nn::linear<40>, tensor<float, 96>{});
}

}  // namespace linear_lowering_test
