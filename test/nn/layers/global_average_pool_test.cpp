// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/global_average_pool.hpp>

#include <type_traits>

namespace global_average_pool_test {

using namespace nn_test;

static_assert(std::is_same_v<decltype(output_of(nn::global_average_pool, tensor<half, 8, 7, 5>{})), tensor<half, 8>>);
static_assert(!layer_for<nn::global_average_pool_t, tensor<float, 8, 7>> && !layer_for<nn::global_average_pool_t, tensor<float, 8, 0, 3>>,
              "channels with planes that hold something");

TEST_CASE("Each channel's mean, and its gradient") {
  using in = tensor<float, 3, 4, 5>;
  bench<double, nn::global_average_pool_t, in> test{nn::lane_count + 1};
  test.forward();
  for (const std::size_t s : {std::size_t{0}, nn::lane_count}) {
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < 20; ++i) sum += test.x.get(s, c * 20 + i);
      CHECK(test.y.get(s, c) == doctest::Approx(sum / 20));
    }
  }
  check_layer(nn::global_average_pool, in{});
  check_layer(nn::global_average_pool, tensor<float, 2, 1, 1>{});
}

}  // namespace global_average_pool_test
