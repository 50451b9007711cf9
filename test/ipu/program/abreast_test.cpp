// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/program/abreast.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace abreast_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("products side by side: each right, the time of one of them") {
  constexpr std::size_t heads = 4, m = 12, k = 20, n = 9;
  const matmul_shape shape{m, k, n, amp_precision::float_float, false, true};
  operation_test<float> t;
  const auto a = t.variable(heads * m * k), b = t.variable(heads * k * n), out = t.variable(heads * m * n);
  ipuflow::light_vector<step> parts;
  ipuflow::light_vector<step> gathers;
  const auto own = [&](variable_id whole, std::size_t h, std::size_t size, bool back) {
    const variable_id mine = t.g.add_temporary<float>("head", size, linear(size, 16, 16 * h));
    if (!back) gathers.push_back(copy({{{whole, h * size}, {mine}, size}}));
    return mine;
  };
  ipuflow::light_vector<step> deliveries;
  for (std::size_t h = 0; h < heads; ++h) {
    const variable_id left = own(a, h, m * k, false), right = own(b, h, k * n, false), made = own(out, h, m * n, true);
    parts.push_back(matmul(t.g, shape, left, right, made, {.first_tile = 16 * h, .tiles = 16}));
    deliveries.push_back(copy({{{made}, {out, h * m * n}, m * n}}));
  }
  const step together = abreast(t.g, parts);
  const auto bring = abreast(t.g, gathers), deliver = abreast(t.g, deliveries);
  CHECK(bring.as<sequence_of>().steps.size() == 1);
  const auto va = t.numbers(heads * m * k), vb = t.numbers(heads * k * n);
  ipuflow::light_vector<float> wanted(heads * m * n, 0);
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t c = 0; c < k; ++c)
          wanted[(h * m + i) * n + j] += va[(h * m + i) * k + c] * vb[(h * n + j) * k + c];
  t.run(sequence(bring, together, deliver), {{a, va}, {b, vb}},
        [&](engine& e) { CHECK(t.to_floats(e.read<float>(out)) == wanted); });
  const auto time = [&](const step& s) { return cost(pod(t.g.chip(), 1), t.g, s).total; };
  CHECK(time(together) == time(parts[0]));
  CHECK(time(sequence(parts)) == time(parts[0]) * heads);
}

TEST_CASE("parts of different lengths, and steps that are not joined") {
  graph g(small_chip());
  const auto v = g.add_variable<float>("v", 64, linear(64, 64));
  const stream_id in = g.add_stream({name_from("in")});
  const step piece = copy({{{v}, {v, 1}, 1}});
  const step made = abreast(g, {sequence(piece, stream_in(in, v)), sequence(sequence(piece, piece)), sequence()});
  const auto& steps = made.as<sequence_of>().steps;
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].as<copy>().pieces.size() == 2);
  CHECK(steps[1].as<copy>().pieces.size() == 1);
  CHECK(steps[2].is<stream_in>());
  CHECK(abreast(g, {}).empty());
}

}  // namespace abreast_test
