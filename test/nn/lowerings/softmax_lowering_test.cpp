// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/softmax_lowering.hpp>

namespace softmax_lowering_test {

using namespace nn_test;

TEST_CASE("Softmax on tiles is the host's, forward and back") {
  check_lowering(nn::softmax, tensor<float, 9>{});
  check_lowering(nn::softmax, tensor<float, 1>{});
}

}  // namespace softmax_lowering_test
