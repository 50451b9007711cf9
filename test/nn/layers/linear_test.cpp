// SPDX-License-Identifier: BSL-1.0
// From a vector to a vector, of a sequence from each position; whatever is neither is refused.
#include "layer_check.hpp"

#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/linear.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace linear_test {

using namespace ipuflow;

namespace {

template <std::size_t Outputs, class In>
using out = decltype(output_of(nn::linear<Outputs>, In{}));

static_assert(std::is_same_v<out<10, tensor<float, 256>>, tensor<float, 10>>);
static_assert(std::is_same_v<out<1, tensor<half, 1>>, tensor<half, 1>>);
static_assert(layer_for<nn::linear_t<10>, tensor<float, 256>>);
static_assert(std::is_same_v<out<10, tensor<float, 7, 256>>, tensor<float, 7, 10>>);
static_assert(!layer_for<nn::linear_t<10>, tensor<float, 4, 4, 4>> && !layer_for<nn::linear_t<10>, tensor<float>> &&
              !layer_for<nn::linear_t<10>, float>);

}  // namespace

TEST_CASE("the outputs are those asked for, whatever comes in") {
  CHECK(out<10, tensor<float, 1>>::extent(0) == 10);
  CHECK(out<10, tensor<float, 4096>>::extent(0) == 10);
  CHECK(bytes_of<out<256, tensor<half, 320>>> == 512_B);
}

TEST_CASE("without biases it is the product alone") {
  constexpr auto bare = without_biases(nn::linear<6>);
  static_assert(std::is_same_v<decltype(without_biases(bare)), std::remove_const_t<decltype(bare)>>);
  static_assert(facts(bare, tensor<float, 5>{}).parameters == 30 && facts(bare, tensor<float, 5>{}).biases == 0);
  nn_test::check_layer(bare, tensor<float, 5>{});
  nn_test::check_layer(bare, tensor<float, 3, 5>{});
  nn_test::bench<double, std::remove_const_t<decltype(bare)>, tensor<float, 5>> one{1};
  for (std::size_t i = 0; i < 5; ++i) one.x.set(0, i, 0);
  one.forward();
  for (std::size_t i = 0; i < 6; ++i) CHECK(one.y.get(0, i) == 0);
}

}  // namespace linear_test
