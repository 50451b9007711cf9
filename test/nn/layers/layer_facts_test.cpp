// SPDX-License-Identifier: BSL-1.0
// The work of layers, in multiply-adds a sample, counted by hand from their definitions: threads share out stages by it.
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/layers/softmax.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace layer_facts_test {

using namespace ipuflow;

namespace {

struct counted {
  std::size_t forward = 0, inputs = 0, weights = 0;

  friend constexpr bool operator==(const counted&, const counted&) = default;
};
template <class Layer, class... Taken>
constexpr counted work(Layer layer, Taken... taken) {
  const nn::layer_facts known = facts(layer, taken...);
  return {known.forward_work, known.input_work, known.weight_work};
}

// 5 outputs of 3 inputs each; back, 3 inputs of 5 outputs each; 15 weights.
static_assert(work(nn::linear<5>, tensor<float, 3>{}) == counted{15, 15, 15});
static_assert(facts(nn::linear<5>, tensor<float, 3>{}).parameters == 15 + 5);
// 4 filters of 6 channels in 2 groups, windows of 3 x 3 at 2 x 3 places: 24 numbers of 27 products.
static_assert(work(nn::conv2d<4, 3, 1, 0, 2>, tensor<float, 6, 4, 5>{}) == counted{648, 648, 648});
static_assert(facts(nn::conv2d<4, 3, 1, 0, 2>, tensor<float, 6, 4, 5>{}).parameters == 4 * 3 * 9 + 4);
// 3 channels, windows of 2 x 2 at 2 x 3 places.
static_assert(work(nn::max_pool<2>, tensor<float, 3, 4, 6>{}) == counted{72, 72});
static_assert(work(nn::average_pool<2>, tensor<float, 3, 4, 6>{}) == counted{72, 72});
// Once for each number.
static_assert(work(nn::sigmoid, tensor<float, 2, 7>{}) == counted{14, 14});
static_assert(work(nn::dropout<0.5>, tensor<float, 7>{}) == counted{7, 7});
// An addition forward; the gradient goes back as it is.
static_assert(work(nn::add, tensor<float, 7>{}, tensor<float, 7>{}) == counted{7, 0});
// Numbers and squares are added up, then scaled. Back: the same sums and scaled numbers again, two sums of the gradient, and
// the gradient; of the scales, one sum of products.
static_assert(work(nn::layer_norm, tensor<float, 2, 5>{}) == counted{3 * 10, (2 + 1 + 2 + 1) * 10, (2 + 1 + 1) * 10});
// Exponentials are added up, then scaled; back, y . dy is added up, then y * (dy - that).
static_assert(work(nn::softmax, tensor<float, 10>{}) == counted{20, 20});
// The same; back, besides, the label's place and the loss's gradient.
static_assert(work(nn::cross_entropy, tensor<float, 10>{}, std::uint8_t{}) == counted{20, 30});

}  // namespace

TEST_CASE("work of layers is counted at compile time") { CHECK(work(nn::linear<1>, tensor<float, 1>{}).forward == 1); }

}  // namespace layer_facts_test
