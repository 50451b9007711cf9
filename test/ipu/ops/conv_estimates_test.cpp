// SPDX-License-Identifier: BSL-1.0
// What the planners estimate is what the engine counts, to a tenth, for each convolution of the networks that we predict.
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/ops/convolution.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace conv_estimates_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

namespace {

/// All passes of a convolution, to a tenth. Of short ones the calls of copies count, some of which
/// a plan leaves out: 500 cycles.
void check(const conv_shape& s, double memory, bool reads_gradient = true) {
  CAPTURE(s.in_channels);
  CAPTURE(s.out_channels);
  CAPTURE(s.rows);
  CAPTURE(s.stride);
  graph g(mk2);
  const auto variable = [&](std::size_t n, std::size_t grain = 4) {
    return g.add_variable(name_from("v"), operand_type(s.type), n, linear(n, g.tiles(), 0, grain));
  };
  const std::size_t places = s.batch * s.out_rows() * s.out_columns();
  const variable_id x = variable(s.batch * s.in_channels * s.rows * s.columns, std::max<std::size_t>(4, s.picked_together()));
  const variable_id y = variable(places * s.out_channels);
  const variable_id w = variable(s.out_channels * s.in_channels / s.groups * s.taps());
  const plan_options options{.memory_proportion = memory};
  const bytes room = memory_for(g, options);
  const auto of_pass = [&](cycles estimate, const step& program) {
    const cycles counted = cost(pod(mk2, 1), g, program, {.allow_out_of_memory = true}).total;
    const double estimated = static_cast<double>(estimate.value), real = static_cast<double>(counted.value);
    CHECK(std::abs(estimated - real) < std::max(0.1 * real, 500.0));
  };
  of_pass(plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels / s.groups, g.tiles(), room).estimate,
        convolution(g, s, x, w, y, options));
  if (reads_gradient)
    of_pass(plan_convolution(mk2, s.turned(), s.batch, s.rows, s.in_channels / s.groups, g.tiles(), room).estimate,
          convolution_of_input_gradient(g, s, y, w, x, options));
  of_pass(plan_weight_gradient(mk2, s, g.tiles(), room).estimate, convolution_of_weight_gradient(g, s, x, y, w, options));
}

constexpr amp_precision halves = amp_precision::half_half;

}  // namespace

TEST_CASE("ResNet-50 as it was trained: the stem, and the convolutions of all kinds of its 16 blocks, in each pass") {
  check({18, 3, 224, 224, 64, 7, 7, 2, 3, 1, halves}, 0.16, false);
  std::size_t in = 64, side = 56;
  for (std::size_t group = 0; group < 4; ++group) {
    const std::size_t middle = std::size_t{64} << group, out = 4 * middle, stride = group == 0 ? 1 : 2;
    check({18, in, side, side, middle, 1, 1, 1, 0, 1, halves}, 0.16);
    check({18, middle, side, side, middle, 3, 3, stride, 1, 1, halves}, 0.16);
    check({18, in, side, side, out, 1, 1, stride, 0, 1, halves}, 0.16);
    side /= stride;
    check({18, middle, side, side, out, 1, 1, 1, 0, 1, halves}, 0.16);
    check({18, out, side, side, middle, 1, 1, 1, 0, 1, halves}, 0.16);
    check({18, middle, side, side, middle, 3, 3, 1, 1, 1, halves}, 0.16);
    in = out;
  }
}

TEST_CASE("EfficientNet-B0's depthwise convolutions") {
  const struct {
    std::size_t channels, side, kernel, stride;
  } all[] = {{32, 112, 3, 1}, {96, 112, 3, 2}, {144, 56, 3, 1}, {144, 56, 5, 2}, {240, 28, 5, 1}, {240, 28, 3, 2}, {480, 14, 3, 1},
             {480, 14, 5, 1}, {672, 14, 5, 1}, {672, 14, 5, 2}, {1152, 7, 5, 1}, {1152, 7, 3, 1}};
  for (const auto& c : all)
    check({18, c.channels, c.side, c.side, c.channels, c.kernel, c.kernel, c.stride, c.kernel / 2, c.channels, halves}, 0.16);
}

TEST_CASE("small ones: the tutorial's network, MNIST, one sample, groups of a few channels, sums in float") {
  constexpr amp_precision floats = amp_precision::float_float;
  check({16, 1, 128, 128, 5, 3, 3, 1, 0, 1, floats}, 0.6, false);
  check({16, 5, 64, 64, 5, 3, 3, 1, 0, 1, floats}, 0.6);
  check({16, 1, 28, 28, 32, 5, 5, 1, 2, 1, floats}, 0.6, false);
  check({16, 32, 14, 14, 64, 5, 5, 1, 2, 1, halves}, 0.6);
  check({1, 512, 7, 7, 512, 3, 3, 1, 1, 1, halves}, 0.6);
  check({1, 2048, 7, 7, 512, 1, 1, 1, 0, 1, halves}, 0.6);
  check({4, 128, 56, 56, 128, 3, 3, 1, 1, 32, halves}, 0.6);
  check({8, 128, 28, 28, 128, 3, 3, 2, 1, 1, amp_precision::half_float}, 0.6);
}

TEST_CASE("the shapes of other networks: VGG-16, ResNet-18, one sample and many, odd sizes, larger steps") {
  for (const std::size_t batch : {1u, 4u, 32u}) {
    check({batch, 3, 224, 224, 64, 3, 3, 1, 1, 1, halves}, 0.3, false);
    check({batch, 64, 112, 112, 128, 3, 3, 1, 1, 1, halves}, 0.3);
    check({batch, 512, 14, 14, 512, 3, 3, 1, 1, 1, halves}, 0.3);
    check({batch, 64, 32, 32, 128, 3, 3, 2, 1, 1, amp_precision::half_float}, 0.6);
    check({batch, 64, 16, 16, 128, 1, 1, 2, 0, 1, amp_precision::half_float}, 0.6);
    check({batch, 128, 7, 7, 128, 3, 3, 1, 1, 1, amp_precision::float_float}, 0.6);
    check({batch, 48, 27, 27, 96, 5, 5, 1, 2, 1, halves}, 0.6);
    check({batch, 96, 13, 13, 192, 3, 3, 1, 1, 1, halves}, 0.6);
    check({batch, 32, 35, 35, 64, 3, 3, 2, 0, 1, halves}, 0.6);
    check({batch, 24, 21, 21, 40, 1, 1, 3, 0, 1, halves}, 0.6);
    check({batch, 64, 15, 15, 64, 1, 1, 1, 0, 1, amp_precision::half_float}, 0.6);
  }
}

}  // namespace conv_estimates_test
