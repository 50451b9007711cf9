// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/lowerings/tied_lowering.hpp>

namespace tied_lowering_test {

using namespace nn_test;

TEST_CASE("A tied layer on tiles is the host's, in each pass") {
  check_lowering(nn::tied<"embed[0]">(nn::linear<7>), tensor<float, 13>{});
  check_lowering(nn::tied<"embed[0]">(without_biases(nn::linear<9>)), tensor<float, 4, 6>{});
}

TEST_CASE("It takes what the layer takes") {
  CHECK(count_forward(nn::tied<"embed[0]">(nn::linear<4>), tensor<float, 3>{}, 2) == count_forward(nn::linear<4>, tensor<float, 3>{}, 2));
}

}  // namespace tied_lowering_test
