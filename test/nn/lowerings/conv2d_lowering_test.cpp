// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/lowerings/conv2d_lowering.hpp>

namespace conv2d_lowering_test {

using namespace nn_test;

TEST_CASE("A convolution on tiles is the host's, in each pass: strides, padding, groups") {
  check_lowering(nn::conv2d<3, 3>, tensor<float, 2, 7, 5>{});
  check_lowering(nn::conv2d<4, 5, 2, 2>, tensor<float, 1, 9, 8>{});
  check_lowering(nn::conv2d<6, 3, 1, 1, 3>, tensor<float, 3, 5, 6>{});
  check_lowering(nn::conv2d<2, 1, 3>, tensor<float, 2, 4, 7>{});
  check_lowering(without_biases(nn::conv2d<4, 3, 1, 1>), tensor<float, 2, 5, 6>{});
}

TEST_CASE("A convolution of as many groups as channels, more than there are tiles too") {
  check_lowering(nn::conv2d<12, 3, 1, 1, 12>, tensor<float, 12, 5, 4>{});
  check_lowering(without_biases(nn::conv2d<90, 3, 2, 1, 90>), tensor<float, 90, 4, 5>{});  // of 40 tiles
  check_lowering(nn::conv2d<90, 3, 1, 1, 45>, tensor<float, 45, 3, 3>{});
}

TEST_CASE("By hand: one place of a 3 x 3 kernel, on one tile") {
  // Nine taps become channels, two groups of eight for the array: 47 bundles of a worker each, and 10 to zero the sum. The supervisor
  // has 73 and 69 cycles, of which 32 each load weights, and 100 around them; two bundles a worker put the nine places together.
  // The sum is copied to where the output is, and one bias is added in place.
  constexpr std::uint64_t sums = 100 + 73 + 69 + 6 * (47 + 57 + 2), bias = 11 + 6 * (58 + 3);
  CHECK(count_forward(nn::conv2d<1, 3>, tensor<float, 1, 3, 3>{}, 1) == counted{.compute = sums + local_copy + bias, .vertices = 2});
}

TEST_CASE("Sums of halves are float, or half if the options say so: then twice the array's rate, and nearly the same values") {
  const auto forward = [](bool half_partials) {
    tile_bench t;
    t.l.samples = 4;
    t.l.where.half_partials = half_partials;
    t.l.numbers.weights = t.variable(ipu::element_type::f16, 64 * 64 * 9);
    const auto x = t.value<half, shape<64, 16, 16>>();
    const auto y = t.value<half, shape<64, 16, 16>>();
    using layer_in = tensor<half, 64, 16, 16>;
    return count(t, lower_forward(without_biases(nn::conv2d<64, 3, 1, 1>), nn::forward_lowering<nn::in<layer_in>, nn::out<layer_in>>{t.l, {x}, {y}}));
  };
  const std::uint64_t products = 4 * 16 * 16 * 64 * 64 * 9 / few_tiles().tiles;
  CHECK(forward(false).compute > forward(true).compute + products / 64 * 3 / 4);  // 32 a cycle, not 64
}

}  // namespace conv2d_lowering_test
