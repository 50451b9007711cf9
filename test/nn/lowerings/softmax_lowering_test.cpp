// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/softmax_lowering.hpp>

namespace softmax_lowering_test {

using namespace nn_test;

TEST_CASE("Softmax on tiles is the host's, forward and back") {
  check_lowering(nn::softmax, tensor<float, 9>{});
  check_lowering(nn::softmax, tensor<float, 1>{});
}

TEST_CASE("By hand: two rows of 9 on a tile each") {
  // The second row goes to its tile and back, the first is copied within its own. A worker has one vector: largest, difference, sum
  // and product take 29 + 3 bundles each, exp 33 + 6; their supervisors 4 x 11 and 20 cycles.
  constexpr std::uint64_t softmax = 4 * 11 + 20 + 6 * (4 * 32 + 39);
  CHECK(count_forward(nn::softmax, tensor<float, 9>{}, 2) ==
        counted{.compute = softmax + 2 * local_copy, .exchange = 2 * (latency + 9), .vertices = 2});
}

}  // namespace softmax_lowering_test
