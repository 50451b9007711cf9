// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/ops/convolution.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convolution_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// Calls `visit(input, weight, output)` for every product of the convolution, from its definition.
template <class Visit>
void for_each_product(const conv_shape& s, Visit&& visit) {
  const std::size_t in = s.in_channels / s.groups, out = s.out_channels / s.groups;
  for (std::size_t n = 0; n < s.batch; ++n)
    for (std::size_t o = 0; o < s.out_channels; ++o)
      for (std::size_t y = 0; y < s.out_rows(); ++y)
        for (std::size_t x = 0; x < s.out_columns(); ++x)
          for (std::size_t c = 0; c < in; ++c)
            for (std::size_t a = 0; a < s.kernel_rows; ++a)
              for (std::size_t b = 0; b < s.kernel_columns; ++b) {
                const std::size_t row = y * s.stride + a, column = x * s.stride + b;
                if (row < s.padding || column < s.padding || row - s.padding >= s.rows ||
                    column - s.padding >= s.columns)
                  continue;
                visit(((n * s.in_channels + o / out * in + c) * s.rows + row - s.padding) * s.columns + column -
                          s.padding,
                      ((o * in + c) * s.kernel_rows + a) * s.kernel_columns + b,
                      ((n * s.out_channels + o) * s.out_rows() + y) * s.out_columns() + x);
              }
}

template <class Element>
void check(const conv_shape& s) {
  operation_test<Element> t;
  const std::size_t ins = s.batch * s.in_channels * s.rows * s.columns;
  const std::size_t outs = s.batch * s.out_channels * s.out_rows() * s.out_columns();
  const std::size_t taps = s.out_channels * s.in_channels / s.groups * s.kernel_rows * s.kernel_columns;
  const variable_id x = t.variable(ins), w = t.variable(taps), y = t.variable(outs);
  const variable_id dx = t.variable(ins), dw = t.variable(taps), dy = t.variable(outs);
  const auto vx = t.numbers(ins, 2), vw = t.numbers(taps, 2), vdy = t.numbers(outs, 1);
  std::vector<float> wanted(outs, 0), wanted_dx(ins, 0), wanted_dw(taps, 0);
  for_each_product(s, [&](std::size_t i, std::size_t k, std::size_t o) {
    wanted[o] += vx[i] * vw[k];
    wanted_dx[i] += vdy[o] * vw[k];
    wanted_dw[k] += vdy[o] * vx[i];
  });
  const step program = sequence(convolution(t.g, s, x, w, y), convolution_of_input_gradient(t.g, s, dy, w, dx),
                                convolution_of_weight_gradient(t.g, s, x, dy, dw));
  t.run(program, {{x, vx}, {w, vw}, {dy, vdy}}, [&](engine& e) {
    CHECK(t.to_floats(e.read<Element>(y)) == wanted);
    CHECK(t.to_floats(e.read<Element>(dx)) == wanted_dx);
    CHECK(distance(t.to_floats(e.read<Element>(dw)), wanted_dw) < (sizeof(Element) == 2 ? 0.001 : 1e-6));
  });
}

}  // namespace

TEST_CASE_TEMPLATE("forward and both gradients, with stride, padding and groups", Element, float, half) {
  const amp_precision type = sizeof(Element) == 2 ? amp_precision::half_half : amp_precision::float_float;
  check<Element>({4, 1, 12, 12, 5, 5, 5, 1, 0, 1, type});
  check<Element>({3, 4, 9, 11, 6, 3, 3, 1, 1, 1, type});
  check<Element>({2, 4, 9, 11, 6, 3, 2, 2, 1, 2, type});
  check<Element>({2, 8, 7, 7, 8, 3, 3, 2, 1, 8, type});
  check<Element>({1, 70, 3, 3, 70, 3, 3, 1, 1, 70, type});  // more groups than tiles
  check<Element>({2, 100, 3, 4, 200, 1, 3, 2, 1, 50, type});
  check<Element>({5, 16, 6, 6, 8, 1, 1, 1, 0, 1, type});
  check<Element>({3, 6, 9, 7, 8, 1, 1, 2, 0, 1, type});  // of one tap and strided: pixels are picked, and put back
  check<Element>({2, 6, 8, 10, 4, 1, 1, 3, 0, 2, type});
  check<Element>({2, 3, 5, 5, 4, 1, 1, 2, 1, 1, type});    // and with padding not
  check<Element>({2, 4, 13, 9, 5, 1, 1, 1, 0, 1, type});   // places that make no words
  check<Element>({2, 3, 14, 14, 8, 7, 7, 2, 3, 1, type});  // taps as channels
  check<Element>({3, 32, 9, 10, 32, 5, 5, 2, 2, 32, type});  // depthwise, with a stride
  check<Element>({2, 16, 8, 8, 24, 3, 3, 1, 1, 8, type});    // groups of few channels
  check<Element>({1, 3, 33, 17, 2, 3, 3, 1, 1, 1, type});  // few channels: weights are summed over rows on many tiles
  check<Element>({1, 96, 4, 4, 2, 3, 3, 1, 1, 1, type});    // many: the sum over them is cut
  check<Element>({1, 2, 4, 4, 96, 3, 3, 1, 1, 1, type});
}

TEST_CASE("an operation uses the tiles that it is given and no others, with more groups than these, too") {
  for (const std::size_t tiles : {1u, 5u, 24u}) {
    for (const conv_shape& s : {conv_shape{2, 64, 7, 7, 64, 3, 3, 1, 1, 64, amp_precision::half_half},
                                conv_shape{2, 64, 8, 8, 64, 3, 3, 2, 1, 4, amp_precision::half_half},
                                conv_shape{2, 8, 8, 8, 24, 1, 1, 2, 0, 1, amp_precision::half_half},
                                conv_shape{2, 3, 20, 20, 8, 7, 7, 2, 3, 1, amp_precision::half_half}}) {
      graph g(mk2);
      const auto variable = [&](std::size_t n) { return g.add_variable<half>("v", n, linear(n, tiles, 10)); };
      const std::size_t ins = s.batch * s.in_channels * s.rows * s.columns;
      const std::size_t outs = s.batch * s.out_channels * s.out_rows() * s.out_columns();
      const variable_id x = variable(ins), w = variable(s.out_channels * s.in_channels / s.groups * s.taps()), y = variable(outs);
      const plan_options where{.first_tile = 10, .tiles = tiles};
      convolution(g, s, x, w, y, where);
      convolution_of_input_gradient(g, s, y, w, x, where);
      convolution_of_weight_gradient(g, s, x, y, w, where);
      for (const compute_set& set : g.compute_sets()) {
        for (const vertex_group& group : set.groups) {
          CHECK(group.first_tile >= 10);
          CHECK(group.first_tile + group.tiles <= 10 + tiles);
        }
      }
    }
  }
}

TEST_CASE("an image of odd width takes no longer than one of a row and a column more, if its channels are even") {
  const auto cycles_of = [](std::size_t width, std::size_t channels) {
    graph g(mk2);
    const conv_shape s{6, channels, width, width, 32, 3, 3, 1, 1, 1, amp_precision::half_half};
    const auto variable = [&](std::size_t n) { return g.add_variable<half>("v", n, linear(n, g.tiles())); };
    const variable_id x = variable(6 * channels * width * width), w = variable(32 * channels * 9), y = variable(6 * 32 * width * width);
    const step all = sequence(convolution(g, s, x, w, y), convolution_of_input_gradient(g, s, y, w, x),
                              convolution_of_weight_gradient(g, s, x, y, w));
    const auto counted = cost(pod(mk2, 1), g, all);
    return static_cast<double>((counted.chips[0][phase::compute] + counted.chips[0][phase::exchange]).value);
  };
  for (const std::size_t odd : {47u, 95u}) CHECK(cycles_of(odd, 32) < 1.05 * cycles_of(odd + 1, 32));
  CHECK(cycles_of(95, 3) > cycles_of(96, 3));
}

TEST_CASE("the gradients cost about what the convolution does") {
  graph g(mk2);
  const conv_shape s{16, 32, 28, 28, 64, 3, 3, 1, 1, 1, amp_precision::half_half};
  const auto variable = [&](std::size_t n) { return g.add_variable<half>("v", n, linear(n, g.tiles())); };
  const variable_id x = variable(16 * 32 * 784), w = variable(64 * 32 * 9), y = variable(16 * 64 * 784);
  const auto compute = [&](const step& program) {
    return cost(pod(mk2, 1), g, program).chips[0][phase::compute].value;
  };
  const std::uint64_t forward = compute(convolution(g, s, x, w, y));
  CHECK(compute(convolution_of_input_gradient(g, s, y, w, x)) < 2 * forward);
  CHECK(compute(convolution_of_weight_gradient(g, s, x, y, w)) < 4 * forward);
}

}  // namespace convolution_test
