// SPDX-License-Identifier: BSL-1.0
// Beginnings and ends of sequences on tiles are those of the host.
#include "../lowering_check.hpp"

#include <ipuflow/nn/lowerings/sequence_parts_lowering.hpp>

namespace sequence_parts_lowering_test {

using namespace ipuflow;
using namespace nn_test;

TEST_CASE("numbers move on tiles as on the host") {
  check_lowering(nn::to_sequence, tensor<float, 3, 2, 5>{});
  check_lowering(nn::swap_axes, tensor<float, 5, 3>{});
  check_lowering(nn::class_token, tensor<float, 4, 3>{});
  check_lowering(nn::position<2>, tensor<float, 4, 3>{});
}

}  // namespace sequence_parts_lowering_test
