// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/lowerings/batch_norm_lowering.hpp>

namespace batch_norm_lowering_test {

using namespace nn_test;

TEST_CASE("Batch norm on tiles is the host's, in each pass, and so are its running statistics") {
  check_lowering(nn::batch_norm, tensor<float, 3, 4, 5>{});
  check_lowering(nn::batch_norm, tensor<float, 50, 2, 1>{});
}

TEST_CASE("Computing a batch again leaves the statistics as they are; using a model reads them") {
  check_lowering(nn::batch_norm, tensor<float, 3, 7, 1>{}, {.seed = 5, .updates_state = false});
  check_lowering(nn::batch_norm, tensor<float, 3, 7, 1>{}, {.seed = 5, .training = false});
}

}  // namespace batch_norm_lowering_test
