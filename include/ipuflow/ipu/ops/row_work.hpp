// SPDX-License-Identifier: BSL-1.0
// Work on the rows of a value where it stands: each tile makes a number of each row from the part that it holds, these are
// put together, go back to the tiles that hold a part of that row, and an elementwise pass takes them to the elements.
// So a norm or a softmax uses all tiles that its value is on. Source of the order of steps: poplibs, poplin/Norms.cpp.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/row_totals.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ipuflow::ipu {

template <class = void>
class basic_row_work : public basic_row_totals<> {
 public:
  using basic_row_totals<>::basic_row_totals;

  /// The sum or the largest of each row of `x`, times `scale`; or its mean and `scale` times the sum of squares of what is off it.
  [[nodiscard]] row_numbers reduce(step& program, row_reduction op, variable_id x, float scale = 1) const {
    const row_numbers made = room("row partials", op == row_reduction::moments ? 2 : 1);
    const codelet code = with_real((*g_)[x].type(), [&](auto e) { return impl::row_reduce_codelet<decltype(e)>(tiles_, order_, op, partial_scale(scale)); });
    program.then(on_rows("row partials", code, {whole(x), whole(made.variable)}));
    return totals(program, op, made, scale);
  }

  /// The sum over each row of a * b, times `scale`.
  [[nodiscard]] row_numbers reduce_products(step& program, variable_id a, variable_id b, float scale = 1) const {
    const row_numbers made = room("row partials");
    const codelet code = with_real((*g_)[a].type(), [&](auto e) { return impl::row_products_codelet<decltype(e)>(tiles_, order_, partial_scale(scale)); });
    program.then(on_rows("row partials", code, {whole(a), whole(b), whole(made.variable)}));
    return totals(program, row_reduction::sum, made, scale);
  }

  /// y = op(x, number `which` of its row); `x` may be `y`.
  [[nodiscard]] step pass(const binary& op, variable_id x, const row_numbers& n, std::size_t which, variable_id y) const {
    const row_number_place place{n.each, which};
    return with_real((*g_)[y].type(), [&](auto e) {
      return with_real((*g_)[n.variable].type(), [&](auto number) {
        using element = decltype(e);
        using number_type = decltype(number);
        if (x.index == y.index)
          return on_rows(op.name, impl::row_change_codelet<element, number_type>(tiles_, order_, op, place), {whole(y), whole(n.variable)});
        return on_rows(op.name, impl::row_pass_codelet<element, number_type>(tiles_, order_, op, place), {whole(x), whole(n.variable), whole(y)});
      });
    });
  }

  /// Numbers to the tiles that hold parts of their rows, by `bring`.
  [[nodiscard]] row_numbers to_tiles(copy& bring, const row_numbers& n) const {
    if (!n.once) return n;
    const row_numbers made = room("row numbers", n.each, (*g_)[n.variable].type());
    each_interval([&](std::size_t slot, std::size_t first, std::size_t length) {
      bring.pieces.push_back({.from = {n.variable, first * n.each}, .to = {made.variable, slot * n.each}, .length = length * n.each});
    });
    return made;
  }
  [[nodiscard]] row_numbers to_tiles(step& program, const row_numbers& n) const {
    copy bring;
    const row_numbers made = to_tiles(bring, n);
    if (n.once) program.then(std::move(bring));
    return made;
  }
  /// y = op(x, number `which` of its row), which is brought for this pass, as the vendor's programs do; `x` may be `y`.
  void pass(step& program, const binary& op, variable_id x, const row_numbers& n, std::size_t which, variable_id y) const {
    if (!n.once) return void(program.then(pass(op, x, n, which, y)));
    const row_numbers made = room("row numbers", 1, (*g_)[n.variable].type());
    copy bring;
    each_interval([&](std::size_t slot, std::size_t first, std::size_t length) {
      bring.pieces.push_back({.from = {n.variable, first * n.each + which, n.each}, .to = {made.variable, slot, 1}, .length = 1, .count = length});
      if (n.each == 1) bring.pieces.back() = {.from = {n.variable, first}, .to = {made.variable, slot}, .length = length};
    });
    program.then(std::move(bring));
    program.then(pass(op, x, made, 0, y));
  }

  /// The numbers of every row once, in the order of rows.
  [[nodiscard]] row_numbers in_order(step& program, const row_numbers& n, std::string_view name) const {
    if (n.once) return n;
    const std::size_t all = order_.rows * n.each;
    const variable_id made = g_->add_temporary(name_from(name), element_type::f32, all, linear(all, algorithms::min(order_.rows, tiles_for(*g_, where_)), where_.first_tile, n.each));
    keep(program, n, made);
    return {made, n.each, true};
  }
  /// The numbers of every row, in the order of rows, to `to`.
  void keep(step& program, const row_numbers& n, variable_id to) const {
    copy bring;
    if (n.once) bring.pieces.push_back(whole_piece(*g_, n.variable, to));
    else
      each_interval([&](std::size_t slot, std::size_t first, std::size_t length) {
        bring.pieces.push_back({.from = {n.variable, slot * n.each}, .to = {to, first * n.each}, .length = length * n.each});
      });
    program.then(std::move(bring));
  }
  /// Number `which` of each row, in the order of rows, to `to`, by `bring`.
  void deliver(copy& bring, const row_numbers& n, std::size_t which, variable_id to) const {
    const auto add = [&](std::size_t from, std::size_t row, std::size_t length) {
      bring.pieces.push_back({.from = {n.variable, from * n.each + which, n.each}, .to = {to, row, 1}, .length = 1, .count = length});
    };
    if (n.once)
      add(0, 0, order_.rows);
    else
      each_interval(add);
  }

  /// A vertex on every tile; its field is the number of the tile among those of `tiles()`.
  [[nodiscard]] step on_rows(std::string_view name, codelet code, const light_vector<operand>& operands) const {
    light_vector<tile_vertex<std::uint32_t>> vertices;
    for (std::size_t t = 0; t < tiles_->size(); ++t) vertices.push_back({(*tiles_)[t].tile, static_cast<std::uint32_t>(t)});
    const compute_set_id set = g_->add_compute_set(name);
    add_on_tiles(*g_, set, std::move(code), std::move(vertices), operands);
    return execute(set);
  }
};
using row_work = basic_row_work<>;

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template class basic_row_work<>;
#endif

}  // namespace ipuflow::ipu
