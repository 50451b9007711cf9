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
  check_lowering(without_biases(nn::linear<7>), tensor<float, 13>{});
  check_lowering(without_biases(nn::linear<7>), tensor<float, 4, 13>{});
}

TEST_CASE("By hand: a product of three numbers, on one tile") {
  // The array: 57 bundles of a worker for its one position (47, and 10 to zero), 1 to turn the weights round; 169 cycles of the
  // supervisor, of which 32 load weights. The sum is copied to where the output is, and one bias is added in place.
  constexpr std::uint64_t product = 169 + 6 * (57 + 1), bias = 11 + 6 * (58 + 3);
  CHECK(count_forward(nn::linear<1>, tensor<float, 3>{}, 1) == counted{.compute = product + local_copy + bias, .vertices = 2});
}

}  // namespace linear_lowering_test
