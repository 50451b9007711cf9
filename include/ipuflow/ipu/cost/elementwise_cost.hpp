// SPDX-License-Identifier: BSL-1.0
// The cost of elementwise work on one tile: a table of (bundles, elements) for one iteration of the inner loop of each
// operation, float and half, and the start-up of its codelet. Figures: poplibs' cost estimates (2.4 of the reference).
// Also fill, cast, copy within a tile, gather and scatter.
#pragma once

#include <ipuflow/ipu/machine/architecture.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>
#include <ipuflow/ipu/machine/workers.hpp>

#include <algorithm>
#include <cstddef>

namespace ipuflow::ipu {

enum class unary : unsigned char {
  exp,
  log,
  tanh,
  sigmoid,
  sqrt,
  rsqrt,
  reciprocal,
  relu,
  square,
  negate,
  gelu,
  erf,
  sin,
  cos,
  copy
};
enum class binary : unsigned char { add, sub, mul, div, max, min, less, greater, equal, pow };
/// Gradients of the non-linearities: from what came out (or, for gelu, went in) and the gradient of it.
enum class gradient : unsigned char { relu, sigmoid, tanh, gelu };

/// `bundles` for every `elements` at each type.
struct loop_figures {
  std::size_t float_bundles, float_elements, half_bundles, half_elements;

  [[nodiscard]] constexpr std::size_t bundles(element_type type, std::size_t n) const {
    if (type == element_type::f16) return half_bundles * divided_up(n, half_elements);
    return float_bundles * divided_up(n, float_elements);
  }
};

[[nodiscard]] constexpr loop_figures figures(unary op) {
  constexpr loop_figures table[] = {{6, 2, 4, 4},   {12, 2, 4, 4},  {12, 2, 4, 4},    {12, 2, 6, 4},    {10, 2, 23, 4},
                                    {8, 2, 19, 4},  {6, 2, 15, 4},  {3, 2, 3, 4},     {2, 2, 2, 4},     {2, 2, 2, 4},
                                    {22, 1, 16, 1}, {41, 1, 13, 1}, {2300, 1, 25, 1}, {2300, 1, 25, 1}, {2, 2, 2, 4}};
  return table[static_cast<std::size_t>(op)];
}

[[nodiscard]] constexpr loop_figures figures(binary op) {
  constexpr loop_figures table[] = {{3, 2, 3, 4}, {3, 2, 3, 4},  {3, 2, 3, 4},  {10, 2, 21, 4}, {3, 2, 4, 4},
                                    {3, 2, 4, 4}, {14, 4, 9, 4}, {14, 4, 9, 4}, {14, 4, 9, 4},  {312, 1, 325, 1}};
  return table[static_cast<std::size_t>(op)];
}

[[nodiscard]] constexpr loop_figures figures(gradient op) {
  constexpr loop_figures table[] = {{3, 2, 3, 4}, {3, 2, 3, 4}, {3, 2, 3, 4}, {10, 2, 5, 4}};
  return table[static_cast<std::size_t>(op)];
}

[[nodiscard]] constexpr vertex_cost unary_cost(const architecture& chip, unary op, element_type type, std::size_t n,
                                               bool in_place = false) {
  const std::size_t start = in_place ? 55 : (op == unary::exp ? 33 : 17);
  return {start + figures(op).bundles(type, divided_up(n, chip.workers)), 20, true, n};
}

/// In place costs more to start: the operands must be told apart.
[[nodiscard]] constexpr vertex_cost binary_cost(const architecture& chip, binary op, element_type type, std::size_t n,
                                                bool in_place = false) {
  const std::size_t start = in_place ? 58 : (type == element_type::f16 ? 26 : 29);
  return {start + figures(op).bundles(type, divided_up(n, chip.workers)), chip.supervisor_launch.value, true, n};
}

[[nodiscard]] constexpr vertex_cost gradient_cost(const architecture& chip, gradient op, element_type type, std::size_t n) {
  return {20 + figures(op).bundles(type, divided_up(n, chip.workers)), 9, true, 2 * n};
}

/// a += s * b.
[[nodiscard]] constexpr vertex_cost scaled_add_cost(const architecture& chip, element_type type, std::size_t n) {
  const std::size_t vectors = divided_up(divided_up(n, chip.workers), vector_width(type));
  return {15 + 6 + 3 * (vectors == 0 ? 0 : vectors - 1) + 3, 60, true, 2 * n};
}

/// a = b + s * c as fast as the memory of a tile goes: two loads, a multiply-add and a store in each bundle.
[[nodiscard]] constexpr vertex_cost triad_cost(const architecture& chip, element_type type, std::size_t n) {
  return {29 + divided_up(divided_up(n, chip.workers), vector_width(type)), chip.supervisor_launch.value, true, 2 * n};
}

/// One worker writes 64 bits a bundle.
[[nodiscard]] constexpr vertex_cost fill_cost(const architecture&, element_type type, std::size_t n) {
  return {(type == element_type::f16 ? 26 : 23) + divided_up(n, vector_width(type)), 0, false, 0};
}

[[nodiscard]] constexpr vertex_cost cast_cost(const architecture& chip, std::size_t n) {
  return {18 + 19 + divided_up(divided_up(n, chip.workers), 2) + 3, 12, true, 0};
}

/// A copy within a tile: the width of the data path, and a call that all workers answer [measured by an ipu21 planner].
[[nodiscard]] constexpr vertex_cost local_copy_cost(const architecture& chip, bytes size) {
  constexpr std::size_t call = 288;
  return {divided_up(divided_up(size.value, chip.copy_width), chip.workers), call, true, 0};
}

/// Bundles that it takes to look `indices` up of which `hits` are rows of `row` elements on this tile.
[[nodiscard]] constexpr vertex_cost gather_cost(const architecture& chip, element_type type, std::size_t indices,
                                                std::size_t hits, std::size_t row) {
  const bool small = size_of(type) == 1;
  const std::size_t copied = (small ? 4 : 2) * divided_up(row, small ? 3 : 2);
  return {30 + divided_up(hits * (19 + copied) + (indices - hits) * 8, chip.workers), 0, true, 0};
}

/// The same for adding rows into a table; four bytes are added at a time.
[[nodiscard]] constexpr vertex_cost scatter_cost(const architecture& chip, element_type type, std::size_t indices,
                                                 std::size_t hits, std::size_t row) {
  const std::size_t atoms = divided_up(row * size_of(type), 4);
  const std::size_t hit = (type == element_type::f16 ? 12 : 11) + 3 * (atoms == 0 ? 0 : atoms - 1);
  return {33 + divided_up(hits * hit + (indices - hits) * 5, chip.workers), 0, true, hits * row};
}

/// Sums of `depth` partials each for `out` elements, all on this tile. Where there are fewer results than workers have
/// lanes, the lanes share the depth first and their sums are added by the same loop.
[[nodiscard]] constexpr vertex_cost reduce_cost(const architecture& chip, element_type type, std::size_t depth,
                                                std::size_t out) {
  const bool is_half = type == element_type::f16;
  const std::size_t lanes = is_half ? 8 : 4;
  const auto loop = [&](std::size_t long_depth) {
    return 20 + (2 * long_depth + (is_half ? 10 : 8)) * divided_up(divided_up(out, lanes), chip.workers);
  };
  std::size_t bundles = loop(depth);
  const std::size_t shares = out == 0 ? 1 : lanes * chip.workers / out;
  if (shares > 1) bundles = std::min(bundles, loop(divided_up(depth, shares)) + loop(shares));
  return {bundles, 33, true, depth * out};
}

}  // namespace ipuflow::ipu
