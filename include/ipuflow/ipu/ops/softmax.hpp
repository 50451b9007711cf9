// SPDX-License-Identifier: BSL-1.0
// Softmax of rows, and its gradient, as steps of work on rows. The largest value of a row is taken off first, so nothing overflows.
// A loss, which compares the outcome with labels, is no operation of a chip: nn/lowerings/loss_lowering.hpp.
#pragma once

#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/operation_fault.hpp>
#include <ipuflow/ipu/ops/row_layout.hpp>

#include <cstddef>
#include <initializer_list>
#include <utility>

namespace ipuflow::ipu {

/// All codelets of a softmax in one, for losses.
inline constexpr bytes softmax_code = elementwise_code * 6;

/// Largest, difference, exp, sum and quotient of each row, as the elementwise table has them [D].
constexpr vertex_cost softmax_cost(const architecture& chip, element_type type, std::size_t elements) {
  vertex_cost all{.bundles = 0, .supervisor = 0, .all_workers = true};
  for (const vertex_cost& part :
       {binary_cost(chip, binary::max, type, elements), binary_cost(chip, binary::sub, type, elements),
        unary_cost(chip, unary::exp, type, elements), binary_cost(chip, binary::add, type, elements),
        binary_cost(chip, binary::mul, type, elements)}) {
    all.bundles += part.bundles;
    all.supervisor += part.supervisor;
    all.flops += part.flops;
  }
  return all;
}

namespace impl {

inline constexpr row_effort softmax_effort{.passes = 4, .reductions = 2, .rounds = 2, .moved = 2};
inline constexpr row_effort softmax_gradient_effort{.passes = 3, .reductions = 1, .rounds = 1, .moved = 3};

/// With the rows there.
template <class = void>
step softmax_at(graph& g, const row_place& at, variable_id in, variable_id out) {
  arranged x = bring_to(g, in, at.map);
  step program = std::move(x.bring);
  const variable_id y = room_in(g, "softmax", out, at.map);
  at.work.pass(program, binary::sub, x.variable, at.work.reduce(program, row_reduction::max, x.variable), 0, y);
  program.then(apply_to(g, unary::exp, y));
  const row_numbers sums = at.work.reduce(program, row_reduction::sum, y);
  program.then(apply_to(g, unary::reciprocal, sums.variable));
  row_numbers shares = at.work.to_tiles(program, sums);
  if (g[y].type() == element_type::f16) {
    const row_numbers halves = at.work.room("row numbers", 1, element_type::f16);
    program.then(cast(g, shares.variable, halves.variable));
    shares = halves;
  }
  program.then(at.work.pass(binary::mul, y, shares, 0, y));
  if (y.index != out.index) program.then(copy_all(g, y, out));
  return program;
}

/// The order of the rows of some variables of one size.
template <class = void>
row_order rows_of(const graph& g, operation_name of, std::size_t rows, std::initializer_list<variable_id> variables) {
  throw_if(verify_sizes(of, {{"rows", rows}}));
  const std::size_t elements = g[*variables.begin()].elements();
  throw_if(verify_multiple(of, {"elements", elements}, {"rows", rows}));
  for (const variable_id v : variables) check_elements(g, of, {{v, elements}});
  return {elements / rows, rows};
}

}  // namespace impl

/// out[row, :] = softmax of in[row, :], for `rows` rows, in the vendor's compute sets: largest, difference, exp, sum, reciprocal,
/// for halves a cast, product.
template <class = void>
step softmax(graph& g, std::size_t rows, variable_id in, variable_id out, const plan_options& options = {}) {
  const row_order order = impl::rows_of(g, "softmax", rows, {in, out});
  return impl::softmax_at(g, place_row_work(g, in, order, impl::softmax_effort, options), in, out);
}

/// d_in[row, :] = out * (d_out - sum of out * d_out), the gradient of a softmax from its outcome.
template <class = void>
step softmax_gradient(graph& g, std::size_t rows, variable_id out, variable_id d_out, variable_id d_in,
                      const plan_options& options = {}) {
  const row_order order = impl::rows_of(g, "softmax_gradient", rows, {out, d_out, d_in});
  const row_place at = place_row_work(g, out, order, impl::softmax_gradient_effort, options);
  arranged y = bring_to(g, out, at.map), dy = bring_to(g, d_out, at.map);
  step program = sequence(std::move(y.bring), std::move(dy.bring));
  const variable_id dx = room_in(g, "softmax gradient", d_in, at.map);
  at.work.pass(program, binary::sub, dy.variable, at.work.reduce_products(program, y.variable, dy.variable), 0, dx);
  program.then(apply_to(g, binary::mul, dx, y.variable));
  if (dx.index != d_in.index) program.then(copy_all(g, dx, d_in));
  return program;
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
extern template step softmax<>(graph&, std::size_t, variable_id, variable_id, const plan_options&);
extern template step softmax_gradient<>(graph&, std::size_t, variable_id, variable_id, variable_id, const plan_options&);
#endif

}  // namespace ipuflow::ipu
