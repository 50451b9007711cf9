// SPDX-License-Identifier: BSL-1.0
// The parts of attention on tiles are those of the host, one by one and composed, with as many heads as tiles and with more.
#include "../lowering_check.hpp"
#include "../tile_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/sequence_loss.hpp>
#include <ipuflow/nn/lowerings/attention_masks_lowering.hpp>
#include <ipuflow/nn/lowerings/attention_parts_lowering.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/lowerings/loss_lowering.hpp>

#include <cstddef>
#include <cstdint>

namespace attention_parts_lowering_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

template <class E>
constexpr auto network = single_stage(
    input<E, 5, 4>, per_sample<"text", tensor<std::int32_t, 5>>, per_sample<"goal", tensor<E, 5, 4>>,
    block<"A">(nn::linear<12>, keep<"qkv">, nn::attention_scores<2>, nn::causal_mask, use<"text">(nn::segment_mask),
               nn::attention_shares, use<"qkv">(nn::weighted_values), use<"goal">(nn::mean_squared_error)));

}  // namespace

TEST_CASE("scores and shares on tiles are those of the host") {
  for (const std::size_t samples : {1u, 3u, 25u}) {  // 50 pairs of a sample and a head on 38 tiles
    check_lowering<float, float, nn::attention_scores_t<2>, tensor<float, 5, 12>>(samples, 1e-5);
    check_lowering<half, float, nn::attention_scores_t<2>, tensor<half, 5, 12>>(samples, 5e-3);
  }
  check_lowering<float, float, nn::attention_scores_t<3>, tensor<float, 17, 18>>(2, 1e-5);
  check_lowering(nn::attention_shares, tensor<float, 4, 12>{});
}

TEST_CASE("parts that are composed are those of the host on tiles, too") {
  for (const std::size_t samples : {1u, 5u, 25u}) {
    check_pipeline(network<float>, samples, {.waits = true}, 1e-5);
    check_pipeline(network<half>, samples, {.waits = true}, 1e-2);
  }
}

TEST_CASE("where one gradient of the sum of values is wanted, the other need not be there") {
  constexpr auto from_shares = single_stage(
      input<float, 5, 10>, per_sample<"qkv", tensor<float, 5, 12>>, per_sample<"goal", tensor<float, 5, 4>>,
      block<"A">(nn::linear<10>, use<"qkv">(nn::weighted_values), use<"goal">(nn::mean_squared_error)));
  constexpr auto from_values = single_stage(
      input<float, 5, 12>, per_sample<"shares", tensor<float, 5, 10>>, per_sample<"goal", tensor<float, 5, 4>>,
      block<"A">(nn::linear<12>, set_aside<"qkv">, use<"shares", "qkv">(nn::weighted_values), use<"goal">(nn::mean_squared_error)));
  check_pipeline(from_shares, 3, {.waits = true}, 1e-5);
  check_pipeline(from_values, 3, {.waits = true}, 1e-5);
}

}  // namespace attention_parts_lowering_test
