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

TEST_CASE("By hand: four rows of 4 numbers where they stand, on a tile") {
  // A worker has a row of 2 vectors. Means and squares take 20 bundles, 2 x (8 + 4) and 2 + 1, twice; four roots 17 and 8; difference
  // and product 15, 7 and 2 a vector. Eight planes of a vector are shared out over 6 workers: 15 and a sixth of 8 x (7 + 2). Scales and
  // shifts are there: copies within the tile.
  constexpr std::uint64_t moments = 2 * (33 + 6 * (20 + 24 + 3)), roots = 20 + 6 * (17 + 8);
  constexpr std::uint64_t whiten = 2 * (11 + 6 * (15 + 7 + 4)), scale = 2 * (11 + 6 * (15 + 12));
  CHECK(count_forward(nn::group_norm<2>, tensor<float, 4, 2, 1>{}, 2) ==
        counted{.compute = moments + roots + whiten + scale + 2 * local_copy, .exchange = 0, .vertices = 6});
}

}  // namespace sample_norm_lowering_test
