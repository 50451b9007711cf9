// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/softmax.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace softmax_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

std::vector<double> plain_softmax(const std::vector<float>& x, std::size_t width) {
  std::vector<double> made(x.size());
  for (std::size_t r = 0; r < x.size(); r += width) {
    double sum = 0;
    for (std::size_t i = r; i < r + width; ++i) sum += std::exp(static_cast<double>(x[i]));
    for (std::size_t i = r; i < r + width; ++i) made[i] = std::exp(static_cast<double>(x[i])) / sum;
  }
  return made;
}

}  // namespace

TEST_CASE_TEMPLATE("softmax and its gradient against plain double", Element, float, half) {
  constexpr std::size_t rows = 90, width = 10;
  operation_test<Element> t;
  const variable_id x = t.variable(rows * width), y = t.variable(rows * width), dy = t.variable(rows * width),
                    dx = t.variable(rows * width);
  const auto vx = t.numbers(rows * width), vdy = t.numbers(rows * width);
  const auto p = plain_softmax(vx, width);
  t.run(sequence(softmax(t.g, rows, x, y), softmax_gradient(t.g, rows, y, dy, dx)), {{x, vx}, {dy, vdy}},
        [&](engine& e) {
          const auto got = t.to_floats(e.read<Element>(y)), slope = t.to_floats(e.read<Element>(dx));
          const double tolerance = sizeof(Element) == 2 ? 0.005 : 1e-5;
          for (std::size_t r = 0; r < rows * width; r += width) {
            double mean = 0;
            for (std::size_t i = r; i < r + width; ++i) mean += p[i] * static_cast<double>(vdy[i]);
            for (std::size_t i = r; i < r + width; ++i) {
              CHECK(std::abs(static_cast<double>(got[i]) - p[i]) < tolerance);
              CHECK(std::abs(static_cast<double>(slope[i]) - p[i] * (static_cast<double>(vdy[i]) - mean)) <
                    4 * tolerance);
            }
          }
        });
}

}  // namespace softmax_test
