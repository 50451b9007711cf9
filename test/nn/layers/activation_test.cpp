// SPDX-License-Identifier: BSL-1.0
// What works on each element leaves the shape alone, whatever it is.
#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/activation.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace activation_test {

using namespace ipuflow;

namespace {

template <class... Tensor>
inline constexpr bool kept = (std::is_same_v<decltype(output_of(nn::relu, Tensor{})), Tensor> && ...);

static_assert(kept<tensor<float>, tensor<half, 3>, tensor<float, 2, 3>, tensor<int, 1, 2, 3, 4, 5>, tensor<float, 0>>);
static_assert(!layer_for<nn::relu_t, float> && !layer_for<nn::relu_t, shape<2>>);

}  // namespace

TEST_CASE("the same bytes come out as go in") {
  CHECK(bytes_of<decltype(output_of(nn::relu, tensor<half, 20, 4, 4>{}))> == 640_B);
}

}  // namespace activation_test
