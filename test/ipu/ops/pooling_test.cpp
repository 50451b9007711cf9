// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/pooling.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace pooling_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE_TEMPLATE("largest and mean, and their gradients", Element, float, half) {
  for (const pool_shape& s : {pool_shape{30, 8, 8, 2, 2}, {7, 9, 7, 3, 2}, {100, 4, 6, 2, 1}, {6, 7, 5, 3, 2, 1}, {3, 4, 4, 4, 1, 2}}) {
    for (const pooling op : {pooling::max, pooling::mean}) {
      operation_test<Element> t;
      const std::size_t ins = s.planes * s.in_elements(), outs = s.planes * s.out_elements();
      const variable_id x = t.variable(ins), y = t.variable(outs), dy = t.variable(outs), dx = t.variable(ins);
      const auto vx = t.numbers(ins), vdy = t.numbers(outs);
      std::vector<float> wanted(outs, op == pooling::max ? -1e9f : 0.0f), wanted_dx(ins, 0);
      for (std::size_t p = 0; p < s.planes; ++p) {
        for (std::size_t o = 0; o < s.out_elements(); ++o) {
          std::size_t best = ins;
          const float share = vdy[p * s.out_elements() + o] / static_cast<float>(s.kernel * s.kernel);
          for (std::size_t k = 0; k < s.kernel * s.kernel; ++k) {
            const std::size_t row = o / s.out_columns() * s.stride + k / s.kernel - s.padding,
                              column = o % s.out_columns() * s.stride + k % s.kernel - s.padding;
            if (row >= s.rows || column >= s.columns) continue;  // padding; wraps around above and to the left
            const std::size_t i = p * s.in_elements() + row * s.columns + column;
            float& w = wanted[p * s.out_elements() + o];
            if (op == pooling::mean) w += vx[i] / static_cast<float>(s.kernel * s.kernel);
            if (op == pooling::mean) wanted_dx[i] += share;
            if (op == pooling::max && vx[i] > w) {
              w = vx[i];
              best = i;
            }
          }
          if (op == pooling::max) wanted_dx[best] += vdy[p * s.out_elements() + o];
        }
      }
      t.run(sequence(pool(t.g, op, s, x, y), pool_gradient(t.g, op, s, x, dy, dx)), {{x, vx}, {dy, vdy}},
            [&](engine& e) {
              CHECK(distance(t.to_floats(e.read<Element>(y)), wanted) < 0.001);
              CHECK(distance(t.to_floats(e.read<Element>(dx)), wanted_dx) < 0.001);
            });
    }
  }
}

TEST_CASE_TEMPLATE("what is not a number is the largest of nothing but its like, which has no gradient", Element, float, half) {
  operation_test<Element> t;
  const pool_shape s{5, 2, 2, 2, 2};
  const variable_id x = t.variable(20), y = t.variable(5), dy = t.variable(5), dx = t.variable(20);
  std::vector<float> vx(20);
  for (std::size_t i = 0; i < 20; ++i) {  // in each place of a window, then in all
    vx[i] = i / 4 == i % 4 || i > 15 ? NAN : static_cast<float>(i % 4 + 1);
  }
  t.run(sequence(pool(t.g, pooling::max, s, x, y), pool_gradient(t.g, pooling::max, s, x, dy, dx)),
        {{x, vx}, {dy, {1, 1, 1, 1, 1}}}, [&](engine& e) {
          const std::vector<float> made = t.to_floats(e.read<Element>(y)), slopes = t.to_floats(e.read<Element>(dx));
          for (std::size_t p = 0; p < 4; ++p) CHECK(made[p] == (p == 3 ? 3 : 4));
          CHECK(std::isnan(made[4]));
          for (std::size_t i = 0; i < 20; ++i) CHECK(slopes[i] == (i < 16 && i % 4 == (i / 4 == 3 ? 2u : 3u) ? 1 : 0));
        });
}

}  // namespace pooling_test
