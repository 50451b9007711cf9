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

TEST_CASE_TEMPLATE("the loss is minus the log of the label's probability, and its slope that of the loss", Element,
                   float, half) {
  constexpr std::size_t rows = 40, width = 10;
  operation_test<Element> t;
  const variable_id x = t.variable(rows * width), dx = t.variable(rows * width);
  const variable_id loss = t.g.template add_variable<float>("loss", rows, linear(rows, 64));
  const variable_id labels = t.g.template add_variable<std::int32_t>("labels", rows, linear(rows, 64));
  auto vx = t.numbers(rows * width);
  vx[3] = 80;  // exp of it overflows a half, and nearly a float
  std::vector<std::int32_t> wanted(rows);
  for (std::size_t r = 0; r < rows; ++r) wanted[r] = static_cast<std::int32_t>(t.random() % width);
  const step program = cross_entropy(t.g, rows, x, labels, loss, dx, 0.5f);
  const chip_system all = pod(small_chip(), 1);
  engine runs(all, t.g, program, {.checked = true});
  runs.write(x, t.to_elements(vx));
  runs.write(labels, wanted);
  CHECK(runs.run() == cost(all, t.g, program));
  const auto p = plain_softmax(vx, width);
  const auto losses = runs.read<float>(loss);
  const auto slope = t.to_floats(runs.read<Element>(dx));
  const double tolerance = sizeof(Element) == 2 ? 0.001 : 1e-5;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto label = static_cast<std::size_t>(wanted[r]);
    CHECK(static_cast<double>(losses[r]) == doctest::Approx(-std::log(p[r * width + label])).epsilon(1e-4));
    for (std::size_t i = 0; i < width; ++i) {
      CHECK(std::abs(static_cast<double>(slope[r * width + i]) - 0.5 * (p[r * width + i] - (i == label ? 1.0 : 0.0))) <
            tolerance);
    }
  }
}

}  // namespace softmax_test
