// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/lowerings/batch_norm_lowering.hpp>

namespace batch_norm_lowering_test {

using namespace nn_test;

TEST_CASE("Batch norm on tiles is the host's, in each pass, and so are its running statistics") {
  check_lowering(nn::batch_norm, tensor<float, 3, 4, 5>{});
  check_lowering(nn::batch_norm, tensor<float, 50, 2, 1>{});
}

TEST_CASE("Computing a batch again leaves the statistics as they are; using a model reads them") {
  check_lowering(nn::batch_norm, tensor<float, 3, 7, 1>{}, {.seed = 5, .updates_state = false});
  check_lowering(nn::batch_norm, tensor<float, 3, 7, 1>{}, {.seed = 5, .training = false});
}

TEST_CASE("By hand: four rows of 4 numbers on a tile each, with running statistics") {
  // Means and variances are taken out of the state, 2 of each. Three rows go to their tiles and back, one is copied within its own; so
  // are means, variances, scales and shifts, which go to all others. A worker has one vector in each of 3 passes.
  tile_bench t;
  t.l.samples = 2;
  t.l.training = false;
  t.l.numbers.weights = t.variable(ipu::element_type::f32, 2);
  t.l.numbers.biases = t.variable(ipu::element_type::f32, 2);
  t.l.numbers.state = t.variable(ipu::element_type::f32, 4);
  const auto x = t.value<float, shape<2, 4, 1>>(), y = t.value<float, shape<2, 4, 1>>();
  using value = tensor<float, 2, 4, 1>;
  constexpr std::uint64_t norm = 11 + 6 * 3 * (29 + 3);
  CHECK(count(t, lower_forward(nn::batch_norm, nn::forward_lowering<nn::in<value>, nn::out<value>>{t.l, {x}, {y}})) ==
        counted{.compute = norm + 8 * local_copy, .exchange = 2 * (latency + 3 * 4) + 4 * (latency + 2), .vertices = 4});
}

}  // namespace batch_norm_lowering_test
