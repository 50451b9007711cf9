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

TEST_CASE("By hand: four planes of 4 numbers where they stand, with running statistics") {
  // Mean and variance of the second channel go to a tile of their own, and two numbers come back; those of the first, scales and
  // shifts are copied within the tile; the running mean and variance are two runs, of 36 bundles and 45 each over the workers. A root takes 17 bundles and 8; each of 4 passes 15, 7 and 2 for each of a worker's 2 vectors.
  tile_bench t;
  t.l.samples = 2;
  t.l.training = false;
  t.l.numbers.weights = t.variable(ipu::element_type::f32, 2);
  t.l.numbers.biases = t.variable(ipu::element_type::f32, 2);
  t.l.numbers.state = t.variable(ipu::element_type::f32, 4);
  const auto x = t.value<float, shape<2, 4, 1>>(), y = t.value<float, shape<2, 4, 1>>();
  using value = tensor<float, 2, 4, 1>;
  constexpr std::uint64_t norm = 20 + 6 * (17 + 8) + 4 * (11 + 6 * (15 + 7 + 4));
  CHECK(count(t, lower_forward(nn::batch_norm, nn::forward_lowering<nn::in<value>, nn::out<value>>{t.l, {x}, {y}})) ==
        counted{.compute = norm + 4 * local_copy + 6 * (36 + 2 * 45 / 6), .exchange = (latency + 2) + 2 * (latency + 1), .vertices = 6});
}

}  // namespace batch_norm_lowering_test
