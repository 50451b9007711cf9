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

TEST_CASE("By hand: two planes of 4 x 4 on a tile each") {
  // The second plane's 16 numbers are sent to its tile, and its 4 results back; the first's 64 and 16 bytes are copied within theirs. A
  // worker has 2 of the 8 vectors that windows cover, two bundles each, and one result, three.
  constexpr std::uint64_t in = 288 + 6 * 2, pool = 11 + 6 * (30 + 2 * 2 + 3);
  CHECK(count_forward(nn::max_pool<2>, tensor<float, 2, 4, 4>{}, 1) ==
        counted{.compute = in + pool + local_copy, .exchange = latency + 16 + latency + 4, .vertices = 2});
}

}  // namespace pool_lowering_test
