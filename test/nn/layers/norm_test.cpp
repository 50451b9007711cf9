// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/layers/norm.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace norm_test {

using namespace ipuflow;

static_assert(std::is_same_v<decltype(output_of(nn::layer_norm, tensor<half, 2, 3>{})), tensor<half, 2, 3>>);
static_assert(facts(nn::layer_norm, tensor<float, 2, 3, 1>{}).parameters == 12);
static_assert(facts(nn::layer_norm, tensor<float, 2, 3>{}).parameters == 6, "a sequence: those of a position");
static_assert(facts(nn::group_norm<2>, tensor<float, 4, 3, 1>{}).parameters == 8);
static_assert(facts(nn::batch_norm, tensor<float, 4, 3, 3>{}).state == 8);
static_assert(facts(nn::batch_norm, tensor<float, 4>{}).whole_batch);

template <class Layer, class In>
concept takes = requires(Layer layer, In in) { output_of(layer, in); };
static_assert(!takes<nn::group_norm_t<3>, tensor<float, 4, 3, 1>>);
static_assert(!takes<nn::group_norm_t<2>, tensor<float, 4, 3>> && !takes<nn::batch_norm_t, tensor<float, 4, 3>>, "channels come first");
static_assert(!takes<nn::batch_norm_t, tensor<float>>);

TEST_CASE("Each layer has a scale and a shift for each element or channel, and batch norm its statistics") {
  CHECK(facts(nn::layer_norm, tensor<float, 2, 3, 1>{}).biases == 6);
  CHECK(facts(nn::layer_norm, tensor<float, 2, 3>{}).biases == 3);
  CHECK(facts(nn::group_norm<2>, tensor<float, 4, 3, 1>{}).biases == 4);
  CHECK(facts(nn::batch_norm, tensor<float, 4, 3, 1>{}).biases == 4);
}

}  // namespace norm_test
