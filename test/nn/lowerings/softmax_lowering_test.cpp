// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/softmax_lowering.hpp>

namespace softmax_lowering_test {

using namespace nn_test;

TEST_CASE("Softmax on tiles is the host's, forward and back") {
  check_lowering(nn::softmax, tensor<float, 9>{});
  check_lowering(nn::softmax, tensor<float, 1>{});
}

TEST_CASE("By hand: two rows of 9 where they stand, on a tile") {
  // A worker has a row of 5 vectors. Largest and sum take 20 bundles, 2 x (8 + 4) and 5 + 1; difference and product 15, 25 and 2 a
  // vector; exp in place 55 and 6 for each of 2 vectors of a worker; the reciprocal of two sums 55 and 6.
  constexpr std::uint64_t sums = 33 + 6 * (20 + 24 + 6), passes = 11 + 6 * (15 + 25 + 10);
  constexpr std::uint64_t exp = 20 + 6 * (55 + 12), reciprocal = 20 + 6 * (55 + 6);
  CHECK(count_forward(nn::softmax, tensor<float, 9>{}, 2) ==
        counted{.compute = 2 * sums + 2 * passes + exp + reciprocal, .exchange = 0, .vertices = 6});
}

}  // namespace softmax_lowering_test
