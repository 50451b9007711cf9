// SPDX-License-Identifier: BSL-1.0
// Layers of published networks as programs of the operations of `ipu`, forwards and backwards, to be costed. Three
// steps have a cost and no function: numbers of a row given to all of its elements (a bias, what a norm found), the
// square root in a norm, and the loss. Everything else is what users run.
#pragma once

#include <ipuflow/ipu/ops/convolution.hpp>
#include <ipuflow/ipu/ops/pooling.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/ipu/program/abreast.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace validation {

using namespace ipuflow;
using namespace ipuflow::ipu;

/// A value in a network and the gradient of it.
struct traced_value {
  variable_id value{}, slope{};
  std::size_t elements = 0;
};

struct traced_parameter {
  variable_id value{}, gradient{}, sum{};
};

/// A network of one chip in the making. `forward` and `backward` grow with each layer, `backward` from its end.
class network_sketch {
 public:
  graph g;
  plan_options plan;
  amp_precision type;
  element_type element;
  std::vector<step> forward, backward;
  std::vector<traced_parameter> parameters;

  network_sketch(const architecture& chip, amp_precision products, double memory_proportion, bool training = true)
      : g{chip},
        plan{.memory_proportion = memory_proportion},
        type{products},
        element{products == amp_precision::float_float ? element_type::f32 : element_type::f16},
        trains_{training} {}

  /// As the vendor's library maps what nothing else says: whole vectors, and 128 bytes a tile or more.
  mapping spread(std::size_t n, element_type of) const {
    const std::size_t tiles = std::min(g.tiles(), divided_up(n * size_of(of), 128));
    return linear(n, tiles, 0, vector_width(of));
  }
  variable_id temporary(std::string_view name, std::size_t n) {
    return g.add_temporary(name_from(name), element, n, spread(n, element));
  }
  traced_value value(std::string_view name, std::size_t n) { return {temporary(name, n), temporary(name, n), n}; }
  traced_parameter parameter(std::string_view name, std::size_t n) { return parameter(name, spread(n, element)); }
  traced_parameter parameter(std::string_view name, const mapping& where) {
    const std::size_t n = where.back().end;
    const auto kept = [&] { return g.add_variable(name_from(name), element, n, where); };
    const variable_id gradient = g.add_temporary(name_from(name), element, n, where);
    parameters.push_back({kept(), gradient, trains_ ? kept() : variable_id{}});
    return parameters.back();
  }

  /// y = x w + bias; the gradient of x is left out where nothing is before it.
  traced_value product(const traced_value& x, std::size_t rows, std::size_t k, std::size_t n, bool first = false) {
    const traced_value y = value("product", rows * n);
    const matmul_shape shape{rows, k, n, type};
    const matmul_plan planned = plan_matmul(g, shape, plan);
    const traced_parameter w = parameter("weights", where_multiplied(shape, planned));
    const traced_parameter bias = parameter("bias", n);
    const variable_id raw = temporary("raw", rows * n);
    forward.push_back(matmul(g, shape, planned, x.value, w.value, raw, plan.first_tile));
    forward.push_back(on_rows("bias", {raw}, {{bias.value, n, 1}}, y.value, 1));
    if (!first) backward.push_back(matmul(g, {rows, n, k, type, false, true}, y.slope, w.value, x.slope, plan));
    backward.push_back(matmul(g, {k, rows, n, type, true, false}, x.value, y.slope, w.gradient, plan));
    backward.push_back(reduce(g, reduce_operation::sum, {1, rows, n}, y.slope, bias.gradient, plan));
    return y;
  }

  traced_value convolve(const traced_value& x, const conv_shape& s, bool bias, bool first = false) {
    const std::size_t places = s.out_rows() * s.out_columns();
    traced_value y = value("convolution", s.batch * s.out_channels * places);
    const traced_parameter w = parameter("weights", s.out_channels * s.in_channels / s.groups * s.taps());
    const variable_id raw = bias ? temporary("raw", y.elements) : y.value;
    forward.push_back(convolution(g, s, x.value, w.value, raw, plan));
    if (!first) backward.push_back(convolution_of_input_gradient(g, s, y.slope, w.value, x.slope, plan));
    backward.push_back(convolution_of_weight_gradient(g, s, x.value, y.slope, w.gradient, plan));
    if (!bias) return y;
    const traced_parameter b = parameter("bias", s.out_channels);
    const variable_id planes = temporary("planes", s.batch * s.out_channels);
    forward.push_back(on_rows("bias", {raw}, {{b.value, s.out_channels, places}}, y.value, 1));
    backward.push_back(reduce(g, reduce_operation::sum, {s.batch * s.out_channels, places, 1}, y.slope, planes, plan));
    backward.push_back(reduce(g, reduce_operation::sum, {1, s.batch, s.out_channels}, planes, b.gradient, plan));
    return y;
  }

  traced_value apply(const unary& op, const gradient& back, const traced_value& x) {
    const traced_value y = value(op.name, x.elements);
    forward.push_back(ipu::apply(g, op, x.value, y.value));
    const variable_id seen = back.of_input ? x.value : y.value;
    backward.push_back(ipu::apply(g, back, seen, y.slope, x.slope));
    return y;
  }

  /// What two layers read: their gradients are added.
  std::pair<traced_value, traced_value> fork(const traced_value& x) {
    const traced_value a{x.value, temporary("slope", x.elements), x.elements};
    const traced_value b{x.value, temporary("slope", x.elements), x.elements};
    backward.push_back(ipu::apply(g, binary::add, a.slope, b.slope, x.slope));
    return {a, b};
  }

  /// The gradient goes both ways; `b` has no other reader.
  traced_value add(const traced_value& a, const traced_value& b) {
    const traced_value y{temporary("sum", b.elements), b.slope, b.elements};
    forward.push_back(ipu::apply(g, binary::add, a.value, b.value, y.value));
    backward.push_back(copy_all(g, y.slope, a.slope));
    return y;
  }

  traced_value pooled(pooling op, const pool_shape& s, const traced_value& x) {
    const traced_value y = value("pooled", s.planes * s.out_elements());
    forward.push_back(pool(g, op, s, x.value, y.value, plan));
    backward.push_back(pool_gradient(g, op, s, x.value, y.slope, x.slope, plan));
    return y;
  }

  /// Rows [outer, row, inner] normalised: `rows` of them with a mean and a variance each, and `scales` scales and
  /// shifts, one for every `run` elements.
  traced_value norm(const traced_value& x, std::size_t outer, std::size_t rows, std::size_t inner, std::size_t scales,
                    std::size_t run) {
    const traced_value y = value("norm", x.elements);
    const traced_parameter scale = parameter("scale", scales), shift = parameter("shift", scales);
    const variable_id squares = temporary("squares", x.elements);
    const variable_id mean = temporary("mean", rows), variance = temporary("variance", rows);
    const row_numbers of_mean{mean, rows, inner}, of_variance{variance, rows, inner},
        of_scale{scale.value, scales, run};
    forward.push_back(sum_of_rows(x.value, mean, outer, rows, inner));
    forward.push_back(ipu::apply(g, unary::square, x.value, squares));
    forward.push_back(sum_of_rows(squares, variance, outer, rows, inner));
    forward.push_back(ipu::apply(g, unary::rsqrt, variance, variance));
    forward.push_back(on_rows("normalise", {x.value}, {of_mean, of_variance, of_scale, {shift.value, scales, run}},
                              y.value, 4));  // difference, quotient, scale, shift
    const variable_id normal = temporary("normal", x.elements);
    const std::size_t samples = x.elements / (scales * run);
    const variable_id sums = temporary("sums", rows), products = temporary("products", rows);
    std::vector<step> back;
    back.push_back(on_rows("normal", {x.value}, {of_mean, of_variance}, normal, 2));
    back.push_back(ipu::apply(g, binary::mul, normal, y.slope, squares));
    back.push_back(sum_of_rows(y.slope, shift.gradient, samples, scales, run));
    back.push_back(sum_of_rows(squares, scale.gradient, samples, scales, run));
    back.push_back(sum_of_rows(y.slope, sums, outer, rows, inner));
    back.push_back(sum_of_rows(squares, products, outer, rows, inner));
    back.push_back(on_rows("norm gradient", {y.slope, normal},
                           {of_variance, of_scale, {sums, rows, inner}, {products, rows, inner}}, x.slope, 4));
    backward.push_back(sequence(std::move(back)));
    return y;
  }

  /// Of every row of `x`: the last layer, whose gradient is found with the loss.
  void loss(const traced_value& x, std::size_t rows) {
    const variable_id labels = g.add_temporary(name_from("labels"), element_type::i32, rows, linear(rows, g.tiles()));
    const variable_id each = g.add_temporary(name_from("losses"), element_type::f32, rows, linear(rows, g.tiles()));
    const std::size_t width = x.elements / rows;
    const auto in_rows = [&](variable_id v) {
      const std::size_t n = g[v].elements();
      return arrange(g, v, "rows", linear(n, std::min(rows, tiles_for(g, plan)), plan.first_tile, n / rows), {{.length = n}});
    };
    const arranged a = in_rows(x.value);
    const arranged label = in_rows(labels);
    const variable_id slope = g.add_temporary(name_from("loss gradient"), element, rows * width, g[a.variable].map());
    const variable_id found = g.add_temporary(name_from("loss"), element_type::f32, rows, g[label.variable].map());
    const codelet code = with_real(element, [&](auto number) {
      using type_of = decltype(number);
      return codelet(
          name_from("cross-entropy"), softmax_code,
          [](std::span<const type_of>, std::span<const std::int32_t>, std::span<float>, std::span<type_of>) {},
          [type = element](const architecture& chip, lengths n) {
            vertex_cost cost = softmax_cost(chip, type, n[0]);
            const vertex_cost logs = unary_cost(chip, unary::log, element_type::f32, n[1]);
            cost.bundles += logs.bundles + binary_cost(chip, binary::mul, type, n[0]).bundles;
            cost.supervisor += logs.supervisor;
            return cost;
          });
    });
    const std::vector<operand> operands{whole(a.variable), whole(label.variable), whole(found), whole(slope)};
    backward.push_back(sequence(a.bring, label.bring, on_each_tile(g, "cross-entropy", code, slope, operands),
                                copy_all(g, found, each), copy_all(g, slope, x.slope)));
  }

  step backwards() const { return sequence(std::vector<step>(backward.rbegin(), backward.rend())); }
  /// Gradients into sums, as every micro-batch does where several make a step.
  step accumulate() {
    std::vector<step> all;
    for (const traced_parameter& p : parameters) all.push_back(scaled_add(g, p.sum, 1, p.gradient));
    return sequence(std::move(all));
  }

  /// Numbers that every `run`-th of `count` rows, again and again, has one of.
  struct row_numbers {
    variable_id numbers{};
    std::size_t count = 1, run = 1;
  };

  /// out = a function of `in` and of numbers that whole runs of elements share, in `passes` over the elements; each
  /// tile gets each number that it needs once.
  step on_rows(std::string_view name, const std::vector<variable_id>& in, const std::vector<row_numbers>& shared,
               variable_id out, std::size_t passes) {
    std::vector<step> steps;
    std::vector<operand> operands;
    for (const variable_id v : in) {
      const arranged a = arrange_like(g, v, out);
      steps.push_back(a.bring);
      operands.push_back(whole(a.variable));
    }
    while (operands.size() < 2) operands.push_back(operands[0]);
    for (const row_numbers& r : shared) steps.push_back(spread_numbers(r, out));
    operands.push_back(whole(out));
    const element_type type_of_all = element;
    const auto cost = [passes, type_of_all](const architecture& chip, lengths n) {
      vertex_cost all = binary_cost(chip, binary::mul, type_of_all, n[0]);
      all.bundles += (passes - 1) * loop_bundles(chip, binary::mul, type_of_all, n[0]);
      all.flops *= passes;
      return all;
    };
    const codelet code = with_real(element, [&](auto zero) {
      using number = decltype(zero);
      return codelet(
          name_from(name), elementwise_code, [](std::span<const number>, std::span<const number>, std::span<number>) {},
          cost);
    });
    steps.push_back(on_each_tile(g, name, code, out, operands));
    return sequence(std::move(steps));
  }

 private:
  /// The right operand of a product as its plan wants it: blocks on their tiles, each shared out among those that
  /// multiply with it.
  mapping where_multiplied(const matmul_shape& s, const matmul_plan& p) const {
    mapping made;
    for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
      const std::size_t height = part_size(s.k, p.k_parts, kk);
      for (std::size_t row = 0; row < height; ++row) {
        const std::size_t i = row * p.m_parts / height;
        for (std::size_t turn = 0; turn < p.turns; ++turn) {
          const std::size_t count = part_size(s.n, p.turns, turn);
          for (std::size_t j = 0; j < p.n_parts; ++j) {
            const std::size_t begin = made.empty() ? 0 : made.back().end;
            const std::size_t width = part_size(count, p.n_parts, j);
            if (width > 0) made.push_back({begin, begin + width, plan.first_tile + p.tile_of(i, kk, j)});
          }
        }
      }
    }
    return made;
  }

  /// [outer, row, inner] to a number for each row: of each run first, then of the outer ones.
  step sum_of_rows(variable_id in, variable_id out, std::size_t outer, std::size_t rows, std::size_t inner) {
    if (outer == 1) return reduce(g, reduce_operation::sum, {rows, inner, 1}, in, out, plan);
    if (inner == 1) return reduce(g, reduce_operation::sum, {1, outer, rows}, in, out, plan);
    const variable_id runs = temporary("runs", outer * rows);
    return sequence(reduce(g, reduce_operation::sum, {outer * rows, inner, 1}, in, runs, plan),
                    reduce(g, reduce_operation::sum, {1, outer, rows}, runs, out, plan));
  }

  step spread_numbers(const row_numbers& r, variable_id like) {
    std::vector<copy_piece> pieces;
    std::vector<tile_block> blocks;
    std::size_t at = 0;
    for (const mapped_interval& i : g[like].map()) {
      const std::size_t first = i.begin / r.run, last = (i.end - 1) / r.run;
      const std::size_t held = std::min(last - first + 1, r.count);
      for (std::size_t n = 0; n < held;) {
        const std::size_t from = (first + n) % r.count;
        const std::size_t length = std::min(held - n, r.count - from);
        pieces.push_back({.from = {.begin = from}, .to = {.begin = at + n}, .length = length});
        n += length;
      }
      blocks.push_back({i.tile, held});
      at += held;
    }
    return arrange(g, r.numbers, "shared", mapping_of(blocks), std::move(pieces)).bring;
  }

  bool trains_;
};

}  // namespace validation
