// SPDX-License-Identifier: BSL-1.0
// The cost of elementwise work on one tile: the inner loop of each operation, float and half, and the start-up of its
// codelet. Also fill, cast, copy within a tile, gather, scatter and reduce. Sources: [PL] poplibs, whose cost estimates have a
// function for each; [D] instructions counted.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::ipu {

namespace impl {

/// The inner loop of a codelet: `bundles` for every `elements`.
struct inner_loop {
  std::size_t bundles = 0;
  std::size_t elements = 1;

  constexpr std::size_t operator()(std::size_t n) const { return bundles * divided_up(n, elements); }
};

}  // namespace impl

/// A function of each element. The rows are in `ops/functions.hpp`.
struct unary {
  std::string_view name;
  impl::inner_loop f32, f16;
  void (*values)(const float* x, float* y, std::size_t n) = nullptr;
  std::size_t start = 17;  // bundles before the loop

  float operator()(float x) const {
    values(&x, &x, 1);
    return x;
  }

  static const unary exp, log, tanh, sigmoid, sqrt, rsqrt, reciprocal, relu, square, negate, gelu, swish, erf, sin, cos, copy;
};

struct binary {
  std::string_view name;
  impl::inner_loop f32, f16;
  void (*values)(const float* a, const float* b, float* y, std::size_t n) = nullptr;

  float operator()(float a, float b) const {
    values(&a, &b, &a, 1);
    return a;
  }

  static const binary add, sub, mul, div, max, min, less, greater, equal, pow;
};

/// The gradient of a non-linearity: its slope, at an output or an input of it, times the gradient of the output.
struct gradient {
  impl::inner_loop f32, f16;
  void (*values)(const float* seen, const float* d_out, float* d_in, std::size_t n) = nullptr;
  bool of_input = false;  // what `seen` is

  float slope(float seen) const {
    float d = 1;
    values(&seen, &d, &d, 1);
    return d;
  }

  static const gradient relu, sigmoid, tanh, gelu, swish;
};

/// Bundles of the inner loop for a worker's share of `n` elements.
template <class Function>
constexpr std::size_t loop_bundles(const architecture& chip, const Function& op, element_type type, std::size_t n) {
  return (type == element_type::f16 ? op.f16 : op.f32)(divided_up(n, chip.workers));
}

/// The start of a vector codelet in three forms [PL popops, popopsCycleEstimators].
constexpr vertex_cost unary_cost(const architecture& chip, const unary& op, element_type type, std::size_t n,
                                 bool in_place = false) {
  return {(in_place ? 55 : op.start) + loop_bundles(chip, op, type, n), 20, true, n};
}

/// In place costs more to start: the operands must be told apart [PL popops, popopsCycleEstimators].
constexpr vertex_cost binary_cost(const architecture& chip, const binary& op, element_type type, std::size_t n,
                                  bool in_place = false) {
  const std::size_t start = in_place ? 58 : (type == element_type::f16 ? 26 : 29);
  return {start + loop_bundles(chip, op, type, n), chip.supervisor_launch.value, true, n};
}

/// [PL popnn, popnnCycleEstimators]
constexpr vertex_cost gradient_cost(const architecture& chip, const gradient& op, element_type type,
                                    std::size_t n) {
  return {20 + loop_bundles(chip, op, type, n), 9, true, 2 * n};
}

/// A mask from a tile's own generator, which is set to a seed before and put back after: two bundles a vector, and those that read the
/// generator's state once and write it twice [PL poprand, poprandCycleEstimators].
constexpr vertex_cost dropout_cost(const architecture& chip, element_type type, std::size_t n) {
  return {24 + 7 + 2 * 27 + 2 * divided_up(divided_up(n, chip.workers), vector_width(type)), 6 + 3 * 14, true, n};
}

/// a += s * b [PL popops, getScaledArithmeticSupervisorCycleEstimate].
constexpr vertex_cost scaled_add_cost(const architecture& chip, element_type type, std::size_t n) {
  const std::size_t vectors = divided_up(divided_up(n, chip.workers), vector_width(type));
  return {15 + 6 + 3 * (vectors == 0 ? 0 : vectors - 1) + 3, 60, true, 2 * n};
}

/// a = b + s * c as fast as the memory of a tile goes: two loads, a multiply-add and a store in each bundle [D]. Validation
/// row H4 measures it.
constexpr vertex_cost triad_cost(const architecture& chip, element_type type, std::size_t n) {
  return {29 + divided_up(divided_up(n, chip.workers), vector_width(type)), chip.supervisor_launch.value, true, 2 * n};
}

/// Whole numbers to real ones [D], as no figure is published. Four bytes come with a load; two
/// sorts put them into the mantissas of halves, one sum takes their exponent off, and for floats two bundles widen them and
/// two store. A word is loaded, converted and stored.
constexpr impl::inner_loop widening_loop(element_type from, element_type to) {
  if (from != element_type::u8) return {3, 1};
  return {to == element_type::f16 ? 5u : 8u, 4};
}

namespace impl {

/// A scaled addition where `b` is of another type: a bundle more for each vector, which is one of floats [PL, the same
/// function].
constexpr vertex_cost mixed_scaled_add_cost(const architecture& chip, std::size_t n) {
  const std::size_t vectors = divided_up(divided_up(n, chip.workers), vector_width(element_type::f32));
  return {15 + 6 + 4 * (vectors == 0 ? 0 : vectors - 1) + 4, 60, true, 2 * n};
}

/// One worker writes 64 bits a bundle [PL popops, getFill1DCycleEstimate].
constexpr vertex_cost fill_cost(const architecture&, element_type type, std::size_t n) {
  return {(type == element_type::f16 ? 26 : 23) + divided_up(n, vector_width(type)), 0, false, 0};
}

/// [PL popops, getCast1DCycleEstimate]
constexpr vertex_cost cast_cost(const architecture& chip, std::size_t n) {
  return {18 + 19 + divided_up(divided_up(n, chip.workers), 2) + 3, 12, true, 0};
}

/// The start of a cast, and the loop above.
constexpr vertex_cost widening_cost(const architecture& chip, element_type from, element_type to, std::size_t n) {
  return {18 + 19 + widening_loop(from, to)(divided_up(n, chip.workers)), 12, true, 0};
}

/// A copy within a tile: the width of the data path, and a call that all workers answer [measured by an ipu21 planner].
constexpr vertex_cost local_copy_cost(const architecture& chip, bytes size) {
  constexpr std::size_t call = 288;
  return {divided_up(divided_up(size.value, chip.copy_width), chip.workers), call, true, 0};
}

/// Bundles that it takes to look `indices` up of which `hits` are rows of `row` elements on this tile [PL popops,
/// getMultiSliceCycleEstimate].
constexpr vertex_cost gather_cost(const architecture& chip, element_type type, std::size_t indices, std::size_t hits,
                                  std::size_t row) {
  const bool small = size_of(type) == 1;
  const std::size_t copied = (small ? 4 : 2) * divided_up(row, small ? 3 : 2);
  return {30 + divided_up(hits * (19 + copied) + (indices - hits) * 8, chip.workers), 0, true, 0};
}

/// The same for adding rows into a table [PL popops, getMultiUpdateOpCycleEstimate]; four bytes are added at a time [assumed].
constexpr vertex_cost scatter_cost(const architecture& chip, element_type type, std::size_t indices, std::size_t hits,
                                   std::size_t row) {
  const std::size_t atoms = divided_up(row * size_of(type), 4);
  const std::size_t hit = (type == element_type::f16 ? 12 : 11) + 3 * (atoms == 0 ? 0 : atoms - 1);
  return {33 + divided_up(hits * hit + (indices - hits) * 5, chip.workers), 0, true, hits * row};
}

}  // namespace impl

/// Cycles of a copy within a tile that does nothing else.
[[nodiscard]] constexpr cycles local_copy_time(const architecture& chip, bytes size) {
  return alone(impl::local_copy_cost(chip, size), chip);
}

/// Sums of `depth` partials each for `out` elements, all on this tile. Where there are fewer results than workers have
/// lanes, the lanes share the depth first and their sums are added by the same loop [PL, getReduceCycleEstimate].
constexpr vertex_cost reduce_cost(const architecture& chip, element_type type, std::size_t depth, std::size_t out) {
  const bool is_half = type == element_type::f16;
  const std::size_t lanes = is_half ? 8 : 4;
  const auto loop = [&](std::size_t long_depth) {
    return 20 + (2 * long_depth + (is_half ? 10 : 8)) * divided_up(divided_up(out, lanes), chip.workers);
  };
  std::size_t bundles = loop(depth);
  const std::size_t shares = out == 0 ? 1 : lanes * chip.workers / out;
  if (shares > 1) bundles = algorithms::min(bundles, loop(divided_up(depth, shares)) + loop(shares));
  return {bundles, 33, true, depth * out};
}

}  // namespace ipuflow::ipu
