// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/lowerings/pool_lowering.hpp>

namespace pool_lowering_test {

using namespace nn_test;

TEST_CASE("Pooling on tiles is the host's, forward and back: squares apart, overlapping, over the edge") {
  check_lowering(nn::max_pool<2>, tensor<float, 3, 6, 8>{});
  check_lowering(nn::max_pool<3, 2, 1>, tensor<float, 2, 7, 6>{});
  check_lowering(nn::max_pool<3, 1, 1>, tensor<float, 1, 5, 5>{});
  check_lowering(nn::average_pool<2>, tensor<float, 3, 6, 8>{});
  check_lowering(nn::average_pool<3, 2, 1>, tensor<float, 2, 7, 6>{});
}

}  // namespace pool_lowering_test
