// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"
#include "tile_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>
#include <ipuflow/nn/lowerings/channel_lowering.hpp>
#include <ipuflow/nn/lowerings/conv2d_lowering.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/lowerings/loss_lowering.hpp>

#include <type_traits>

namespace channel_lowering_test {

using namespace nn_test;

namespace {

template <class E>
constexpr auto network = single_stage(input<E, 2, 5, 4>, per_sample<"goal", tensor<E, 3, 5, 4>>,
    block<"A">(nn::conv2d<3, 3, 1, 1>, nn::squeeze_excite<"A channels", 3, 2>(), use<"goal">(nn::mean_squared_error)));

template <class P>
void check_network(const P&, std::size_t samples, double tolerance) {
  const outcome host = on_host<P>(samples, 2);
  const outcome tiles = on_tiles_of_chips<P>(samples, 2, {.waits = true});
  for (std::size_t i = 0; i < host.outputs.size(); ++i) CHECK(farthest(tiles.outputs[i], host.outputs[i]) < tolerance);
  CHECK(farthest(tiles.gradients, host.gradients) < tolerance);
}

}  // namespace

TEST_CASE("Means of whole planes on tiles are the host's") {
  check_lowering(nn::global_average_pool, tensor<float, 3, 5, 7>{});
  check_lowering(nn::global_average_pool, tensor<float, 50, 1, 2>{});
}

TEST_CASE("Squeeze and excitation on tiles is the host's, and so are its gradients") {
  for (const std::size_t samples : {1u, 5u, 43u}) {
    check_network(network<float>, samples, 1e-5);
    check_network(network<half>, samples, 1e-2);
  }
}

TEST_CASE("Where one gradient of scaled channels is wanted, the other need not be there") {
  constexpr auto from_factors = single_stage(input<float, 2>, per_sample<"x", tensor<float, 2, 3, 3>>,
      per_sample<"goal", tensor<float, 2, 3, 3>>,
      block<"A">(nn::linear<2>, use<"x">(nn::scale_channels), use<"goal">(nn::mean_squared_error)));
  constexpr auto from_x = single_stage(input<float, 2, 3, 3>, per_sample<"factors", tensor<float, 2>>,
      per_sample<"goal", tensor<float, 2, 3, 3>>,
      block<"A">(nn::conv2d<2, 1>, set_aside<"x">, use<"factors", "x">(nn::scale_channels), use<"goal">(nn::mean_squared_error)));
  check_network(from_factors, 5, 1e-5);
  check_network(from_x, 5, 1e-5);
}

}  // namespace channel_lowering_test
