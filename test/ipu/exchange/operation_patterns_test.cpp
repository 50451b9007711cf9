// SPDX-License-Identifier: BSL-1.0
// The timetables of what operations exchange: a counted exchange is as long as its schedule, or shorter where multicasts
// overlap and the shortest one is not known.
#include <ipuflow/ipu/cost/copies.hpp>
#include <ipuflow/ipu/exchange/exchange_schedule.hpp>
#include <ipuflow/ipu/ops/convolution.hpp>
#include <ipuflow/ipu/ops/gather.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/ops/pooling.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/ipu/ops/stencil.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace operation_patterns_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// A part of mk2 on which no tiles share a bus, as schedules know of none that do.
architecture chip_of(std::size_t tiles) {
  architecture chip = mk2;
  chip.tiles = tiles;
  chip.tiles_per_bus = 1;
  return chip;
}

struct lengths_seen {
  std::size_t exchanges = 0;
  std::size_t counted = 0;    // cycles, without latency
  std::size_t scheduled = 0;  // cycles
};

/// Goes through the copies of a program. Each is counted as the bound of its pattern, and its schedule is right.
void look_at(const graph& g, const step& s, lengths_seen& seen) {
  for_each_inner(s, [&](const step& inner) { look_at(g, inner, seen); });
  const copy* const copied = s.get_if<copy>();
  if (copied == nullptr) return;
  const copy_cost cost = cost_of_copy(g, *copied);
  if (!cost.chips.contains(0) || cost.chips.at(0).exchange == cycles{}) return;
  const exchange_pattern p = pattern_of_copy(g, *copied);
  const std::size_t counted = cost.chips.at(0).exchange.value - g.chip().exchange_latency.value;
  const exchange_schedule made = schedule_exchange(p);
  CHECK(counted == lower_bound(p));
  CHECK(verify(p, made) == exchange_fault{});
  ++seen.exchanges;
  seen.counted += counted;
  seen.scheduled += made.length;
}

template <class Element>
struct program_of {
  graph g;
  explicit program_of(std::size_t tiles = 64) : g{chip_of(tiles)} {}

  variable_id variable(std::size_t n) { return g.add_variable<Element>("v", n, linear(n, g.tiles())); }
  /// By which part its schedules are longer than what is counted.
  double over(const step& s) {
    lengths_seen seen;
    look_at(g, s, seen);
    CHECK(seen.exchanges > 0);
    return static_cast<double>(seen.scheduled) / static_cast<double>(seen.counted) - 1;
  }
};

template <class Element>
double product(std::size_t tiles, matmul_shape s) {
  program_of<Element> p(tiles);
  const variable_id a = p.variable(s.m * s.k), b = p.variable(s.k * s.n), out = p.variable(s.m * s.n);
  return p.over(matmul(p.g, s, a, b, out));
}

}  // namespace

TEST_CASE_TEMPLATE("exchanges of products are as long as their schedules, or up to a twentieth shorter", Element, float, half) {
  constexpr amp_precision type = sizeof(Element) == 2 ? amp_precision::half_half : amp_precision::float_float;
  for (const auto& [m, k, n] : {std::array<std::size_t, 3>{96, 96, 96}, {17, 100, 31}, {1, 300, 90}}) {
    for (const bool turned : {false, true})
      CHECK(product<Element>(64, {.m = m, .k = k, .n = n, .type = type, .a_transposed = turned, .b_transposed = !turned}) <= 0.05);
  }
}

TEST_CASE("so they are on a whole chip") {
  CHECK(product<half>(1472, {.m = 256, .k = 256, .n = 256, .type = amp_precision::half_half}) <= 0.05);
}

TEST_CASE_TEMPLATE("and those of convolutions and their gradients", Element, float, half) {
  constexpr amp_precision type = sizeof(Element) == 2 ? amp_precision::half_half : amp_precision::float_float;
  for (const std::size_t stride : {1u, 2u}) {
    const conv_shape s{.batch = 2, .in_channels = 6, .rows = 11, .columns = 10, .out_channels = 8, .kernel_rows = 3,
                       .kernel_columns = 3, .stride = stride, .padding = 1, .type = type};
    const std::size_t ins = 2 * 6 * 110, outs = 2 * 8 * s.out_rows() * s.out_columns(), taps = 6 * 8 * 9;
    program_of<Element> p;
    const variable_id x = p.variable(ins), w = p.variable(taps), y = p.variable(outs);
    CHECK(p.over(convolution(p.g, s, x, w, y)) <= 0.05);
    CHECK(p.over(convolution_of_input_gradient(p.g, s, y, w, x)) <= 0.05);
    CHECK(p.over(convolution_of_weight_gradient(p.g, s, x, y, w)) <= 0.05);
  }
}

TEST_CASE_TEMPLATE("those of pools, reductions, softmax, gathers and stencils have no multicasts that overlap", Element, float, half) {
  program_of<Element> p;
  const pool_shape pooled{.planes = 5, .rows = 9, .columns = 9, .kernel = 3, .stride = 2, .padding = 1};
  const variable_id image = p.variable(5 * 81), small = p.variable(5 * 25);
  CHECK(p.over(pool(p.g, pooling::max, pooled, image, small)) == 0);
  CHECK(p.over(pool_gradient(p.g, pooling::max, pooled, image, small, image)) == 0);
  const variable_id in = p.variable(24 * 50 * 3), out = p.variable(24 * 3);
  CHECK(p.over(reduce(p.g, reduce_operation::sum, {24, 50, 3}, in, out)) == 0);
  const variable_id x = p.variable(90 * 11), y = p.variable(90 * 11);
  CHECK(p.over(sequence(softmax(p.g, 90, x, y), softmax_gradient(p.g, 90, y, x, x))) == 0);
  const gather_shape rows{.rows = 50, .width = 12, .indices = 40};
  const variable_id table = p.variable(600), found = p.variable(480);
  const variable_id index = p.g.template add_variable<std::int32_t>("index", 40, linear(40, 64));
  CHECK(p.over(sequence(gather(p.g, rows, table, index, found), scatter_add(p.g, rows, table, index, found, 1.0f))) <= 0.05);
  program_of<float> q(8);
  const stencil_grid s{11, 9, 4, 2};
  const variable_id u = q.g.template add_variable<float>("u", s.offsets().back(), s.map()), v = q.g.template add_variable<float>("v", s.offsets().back(), s.map());
  CHECK(q.over(five_point_step(q.g, s, {0.6f, 0.1f}, u, v)) == 0);
}

}  // namespace operation_patterns_test
