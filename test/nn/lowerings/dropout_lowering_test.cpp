// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/dropout_lowering.hpp>

namespace dropout_lowering_test {

using namespace nn_test;

TEST_CASE("Dropout on tiles has the very mask of the host, forward and back, for every micro-batch") {
  check_lowering(nn::dropout<0.25>, tensor<float, 33>{});
  check_lowering(nn::dropout<0.5>, tensor<float, 3, 5, 7>{}, {.seed = 99, .micro_batch = 1'000'000});
  check_lowering(nn::dropout<0.5>, tensor<float, 20>{}, {.seed = 99, .training = false});
  check_lowering(nn::stochastic_depth<0.5>, tensor<float, 3, 5, 7>{});
  check_lowering(nn::stochastic_depth<0.5>, tensor<float, 20>{}, {.seed = 99, .training = false});
}

TEST_CASE("The bits of a sample are those of its lane") {
  const nn::context c{.seed = 17, .micro_batch = 4, .first_group = 2};
  const nn::impl::lane_streams lanes{c, 1};
  for (std::size_t l = 0; l < nn::lane_count; ++l) {
    const std::uint32_t key = nn::impl::sample_key(nn::random_bits(c.seed, c.micro_batch), 3 * nn::lane_count + l);
    for (const std::size_t element : {0u, 1u, 77u}) CHECK(nn::impl::element_bits(key, element) == lanes.at(element)[l]);
  }
}

TEST_CASE("By hand: 192 floats on 6 tiles") {
  // A worker has 6 of a tile's 32: 3 vectors of 2 bundles. Its generator's state is read (7), set (27) and put back (27). The number of
  // the micro-batch comes from one tile, within which it is copied, too.
  CHECK(count_forward(nn::dropout<0.5>, tensor<float, 64>{}, 3) ==
        counted{.compute = 48 + 6 * (24 + 7 + 27 + 27 + 3 * 2) + local_copy, .exchange = latency + 1, .vertices = 6});
}

}  // namespace dropout_lowering_test
