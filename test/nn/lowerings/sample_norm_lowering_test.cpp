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

TEST_CASE("By hand: four rows of 4 numbers on a tile each") {
  // Three rows go to their tiles and back, one is copied within its own; so are 4 scales and 4 shifts, which go to all others. A worker
  // has one vector in each of 4 passes.
  constexpr std::uint64_t norm = 11 + 6 * 4 * (29 + 3);
  CHECK(count_forward(nn::group_norm<2>, tensor<float, 4, 2, 1>{}, 2) ==
        counted{.compute = norm + 4 * local_copy, .exchange = 2 * (latency + 3 * 4) + 2 * (latency + 4), .vertices = 4});
}

}  // namespace sample_norm_lowering_test
