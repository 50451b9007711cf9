// SPDX-License-Identifier: BSL-1.0
// A loss gives the predictions back, unchanged, and one number, in single precision whatever the predictions are in.
#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/loss.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace loss_test {

using namespace ipuflow;

namespace {

template <class Predictions, class Label>
using out = decltype(output_of(nn::cross_entropy, Predictions{}, Label{}));

static_assert(std::is_same_v<out<tensor<float, 10>, std::uint8_t>, std::tuple<tensor<float, 10>, tensor<float>>>);
static_assert(std::is_same_v<out<tensor<half, 3>, std::size_t>, std::tuple<tensor<half, 3>, tensor<float>>>);
static_assert(layer_for<nn::cross_entropy_t, tensor<float, 10>, int>);
static_assert(!layer_for<nn::cross_entropy_t, tensor<float, 10>> && !layer_for<nn::cross_entropy_t, tensor<float, 10>, float> &&
              !layer_for<nn::cross_entropy_t, tensor<float, 2, 5>, int>);

}  // namespace

TEST_CASE("predictions and loss are two values") {
  CHECK(std::is_same_v<result_of<nn::cross_entropy_t, tensor<float, 10>, const std::uint8_t&>,
                       values<tensor<float, 10>, tensor<float>>>);
}

}  // namespace loss_test
