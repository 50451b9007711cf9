// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn/layers/linear.hpp>

#include "stage_runner.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
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

/// Two norms, the first of a column that is the same for all samples: what is whitened there is far from zero in padding alone.
constexpr auto of_a_constant = single_stage(input<half, 2>, block<"B">(nn::batch_norm, nn::linear<3>, nn::batch_norm, nn::linear<3>));

TEST_CASE("A constant column leaves halves of a micro-batch that does not fill its lanes finite, and all gradients") {
  nn_test::pipeline_run<std::remove_cvref_t<decltype(of_a_constant)>, float> all(3);
  auto& s = all.stage<0>();
  constexpr std::size_t leaving = std::remove_cvref_t<decltype(s.program)>::plan.leaving[0];
  const auto set = [](auto x, float first) {
    for (std::size_t i = 0; i < 3; ++i) x[0].set(i, first), x[1].set(i, 0.25f * static_cast<float>(i));
  };
  set(s.program.input<0>(s.memory), 300);  // 300 / sqrt(1e-5) is no half
  all.forward();
  const auto y = s.program.output<0>(s.memory);
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::isfinite(sum(y[i])));
  set(s.program.gradient<leaving>(s.memory), 1);
  s.program.backward(s.memory, s.parameters(), all.context, s.d_values.data());
  for (const float d : s.d_values) CHECK(std::isfinite(d));
}

}  // namespace norm_test
