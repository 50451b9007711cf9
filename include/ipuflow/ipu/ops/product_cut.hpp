// SPDX-License-Identifier: BSL-1.0
// One cut of y = x w' for all its passes: rows, inputs and outputs are cut once, and each triple of parts has its tile. A block of w
// stays on the tiles that multiply it, spread over those of all parts of the rows; y and the gradients of x and w come out where
// they are kept. Values are in panels, with the same parts of rows for all products of a stage. Where blocks would be too large, a tile
// has several parts of the rows, and multiplies them in turns.
#pragma once

#include <ipuflow/ipu/ops/matmul_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::ipu {

namespace impl {

/// Every part of the rows of an order in panels, and every panel, is made of squares, as high as wide.
constexpr bool has_whole_squares(const matrix_order& o) {
  return !o.is_plain() && o.rows.count % (o.rows.parts * panel_columns) == 0 && o.columns.count % panel_columns == 0;
}

}  // namespace impl

/// x [rows, inputs], w [outputs, inputs], y [rows, outputs].
struct product_sizes {
  std::size_t rows = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  amp_precision type = amp_precision::half_half;  ///< of factors and sums

  friend constexpr bool operator==(const product_sizes&, const product_sizes&) = default;
};

/// The passes of a product: each is a product of matrices, with its plan and the orders of its operands. The gradient of the weights is
/// that of their outputs, turned round, times x.
enum class product_pass : unsigned char { forward, to_inputs, to_weights };

struct planned_product {
  matmul_shape shape{};
  matmul_plan plan{};
  matmul_orders orders{};
};

struct product_cut {
  product_sizes sizes{};
  std::size_t row_parts = 0;  ///< at once; none: there is no cut that fits
  std::size_t input_parts = 1;
  std::size_t output_parts = 1;
  cycles estimate{};  // of all passes
  std::size_t turns = 1;  ///< parts of the rows of a tile
  bool in_squares = false;  ///< values have their squares turned round for the gradient of the weights

  constexpr bool fits() const { return row_parts != 0; }
  constexpr std::size_t all_row_parts() const { return row_parts * turns; }

  constexpr matrix_order x_order() const { return in_panels(sizes.rows, sizes.inputs, all_row_parts()); }
  constexpr matrix_order y_order() const { return in_panels(sizes.rows, sizes.outputs, all_row_parts()); }
  constexpr matrix_order weights_order() const {
    return {{sizes.outputs, output_parts, panel_columns}, {sizes.inputs, input_parts, panel_columns}};
  }

  /// `x_in_rows`, `y_in_rows`: that value, and its gradient, is not in panels but row after row.
  constexpr planned_product of(product_pass pass, bool x_in_rows = false, bool y_in_rows = false) const {
    const matrix_order x = x_in_rows ? matrix_order{} : x_order(), y = y_in_rows ? matrix_order{} : y_order(), w = weights_order();
    const std::size_t r_step = input_parts * output_parts, i_step = output_parts, o_step = 1;
    const auto& [rows, inputs, outputs, type] = sizes;
    matmul_plan p{.tiles = row_parts * r_step, .m_grain = panel_columns, .k_grain = panel_columns, .n_grain = panel_columns};
    (pass == product_pass::to_weights ? p.k_turns : p.m_turns) = turns;
    if (pass == product_pass::forward) {
      p.m_parts = row_parts, p.k_parts = input_parts, p.n_parts = output_parts;
      p.m_step = r_step, p.k_step = i_step, p.n_step = o_step, p.m_grain = 1;
      return {{rows, inputs, outputs, type, false, true, true}, p, {x, w, y}};
    }
    if (pass == product_pass::to_inputs) {
      p.m_parts = row_parts, p.k_parts = output_parts, p.n_parts = input_parts;
      p.m_step = r_step, p.k_step = o_step, p.n_step = i_step, p.m_grain = 1;
      return {{rows, outputs, inputs, type, false, false, true}, p, {y, w, x}};
    }
    p.m_parts = output_parts, p.k_parts = row_parts, p.n_parts = input_parts;
    p.m_step = o_step, p.k_step = r_step, p.n_step = i_step, p.k_grain = 1;
    const bool squares = in_squares && impl::has_whole_squares(x) && impl::has_whole_squares(y);
    return {{outputs, rows, inputs, type, true, false, false, squares}, p, {y, x, w}};
  }

  friend constexpr bool operator==(const product_cut&, const product_cut&) = default;
};

/// The way to use a product: how often each pass runs for a micro-batch.
struct product_use {
  std::size_t forward = 1;
  std::size_t to_inputs = 0;
  std::size_t to_weights = 0;

  friend constexpr bool operator==(const product_use&, const product_use&) = default;
};

/// Turns are powers of two, up to this.
inline constexpr std::size_t most_turns_of_rows = 16;

namespace impl {

struct planned_pass {
  matmul_plan plan{};
  bool in_squares = false;
};

/// The plan of a pass, with its squares turned round before they are brought where that takes less time, and fits.
constexpr planned_pass plan_pass(const architecture& chip, product_cut cut, product_pass pass, bytes memory) {
  const planned_product planned = cut.of(pass);
  const matmul_plan after = estimated(chip, planned.shape, planned.plan);
  if (pass != product_pass::to_weights) return {after};
  cut.in_squares = true;
  const planned_product other = cut.of(pass);
  if (!other.shape.in_squares) return {after};
  const matmul_plan before = estimated(chip, other.shape, other.plan);
  if (before.temporary > memory || before.estimate >= after.estimate) return {after};
  return {before, true};
}

}  // namespace impl

/// The cut with the fewest cycles for that number of parts of the rows, in at most `most_turns` turns, whose blocks fit in `memory`.
template <class = void>
inline product_cut plan_product(const architecture& chip, const product_sizes& s, std::size_t row_parts, const product_use& use,
                                std::size_t tiles, bytes memory, std::size_t most_turns = 1) {
  product_cut best;
  best.estimate = {std::numeric_limits<std::uint64_t>::max()};
  const auto try_cut = [&](product_cut tried) {
    bool fits = true;
    const auto add = [&](product_pass pass, std::size_t times) {
      if (times == 0) return;
      const auto [p, in_squares] = impl::plan_pass(chip, tried, pass, memory);
      tried.in_squares = in_squares;
      tried.estimate += p.estimate * times;
      fits = fits && p.temporary <= memory;
    };
    add(product_pass::forward, use.forward);
    if (tried.estimate < best.estimate) add(product_pass::to_inputs, use.to_inputs);
    if (tried.estimate < best.estimate) add(product_pass::to_weights, use.to_weights);
    if (fits && tried.estimate < best.estimate) best = tried;
  };
  for (std::size_t turns = 1; turns <= most_turns && row_parts % turns == 0; turns *= 2) {
    const std::size_t at_once = row_parts / turns, share = tiles / at_once;
    for (const std::size_t i : impl::useful_parts(divided_up(s.inputs, panel_columns), share)) {
      for (const std::size_t o : impl::useful_parts(divided_up(s.outputs, panel_columns), share / i)) try_cut({s, at_once, i, o, {}, turns});
    }
  }
  return best;
}

}  // namespace ipuflow::ipu
