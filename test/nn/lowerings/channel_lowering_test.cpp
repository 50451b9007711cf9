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

}  // namespace

TEST_CASE("Means of whole planes on tiles are the host's") {
  check_lowering(nn::global_average_pool, tensor<float, 3, 5, 7>{});
  check_lowering(nn::global_average_pool, tensor<float, 50, 1, 2>{});
}

TEST_CASE("Squeeze and excitation on tiles is the host's, and so are its gradients") {
  for (const std::size_t samples : {1u, 5u, 43u}) {
    check_pipeline(network<float>, samples, {.waits = true}, 1e-5);
    check_pipeline(network<half>, samples, {.waits = true}, 1e-2);
  }
}

TEST_CASE("Where one gradient of scaled channels is wanted, the other need not be there") {
  constexpr auto from_factors = single_stage(input<float, 2>, per_sample<"x", tensor<float, 2, 3, 3>>,
      per_sample<"goal", tensor<float, 2, 3, 3>>,
      block<"A">(nn::linear<2>, use<"x">(nn::scale_channels), use<"goal">(nn::mean_squared_error)));
  constexpr auto from_x = single_stage(input<float, 2, 3, 3>, per_sample<"factors", tensor<float, 2>>,
      per_sample<"goal", tensor<float, 2, 3, 3>>,
      block<"A">(nn::conv2d<2, 1>, set_aside<"x">, use<"factors", "x">(nn::scale_channels), use<"goal">(nn::mean_squared_error)));
  check_pipeline(from_factors, 5, {.waits = true}, 1e-5);
  check_pipeline(from_x, 5, {.waits = true}, 1e-5);
}

}  // namespace channel_lowering_test
