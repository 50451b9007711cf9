// SPDX-License-Identifier: BSL-1.0
// Layers that look at some numbers of a sample, or at a channel of all samples, as a whole: such a row goes to one
// tile. A value [outer, row, inner] is brought into rows of outer x inner numbers, a codelet runs on the rows of each
// tile, and what it has written goes where it belongs.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace ipuflow::nn {

/// An operand of a codelet on rows. What goes `everywhere` is no value in rows: each tile gets all of it.
struct row_operand {
  enum class role : unsigned char { read, written, both, everywhere };

  ipu::variable_id variable{};
  role as = role::read;
  std::size_t outer = 1;
};

inline row_operand read_rows(ipu::variable_id v, std::size_t outer = 1) { return {v, row_operand::role::read, outer}; }
inline row_operand write_rows(ipu::variable_id v, std::size_t outer = 1) {
  return {v, row_operand::role::written, outer};
}
inline row_operand change_rows(ipu::variable_id v, std::size_t outer = 1) {
  return {v, row_operand::role::both, outer};
}
inline row_operand everywhere(ipu::variable_id v) { return {v, row_operand::role::everywhere, 1}; }

namespace impl {

/// The rows of the vertex of each tile: the first vertices have one more where rows do not divide.
struct row_share {
  std::size_t rows = 1;
  std::size_t tiles = 1;

  constexpr std::size_t first(std::size_t vertex) const {
    return vertex * (rows / tiles) + algorithms::min(vertex, rows % tiles);
  }
};

template <class = void>
inline row_share share_rows(const lowering& l, std::size_t rows) {
  return {rows, algorithms::min(rows, ipu::tiles_for(l.g, l.where))};
}

/// From a value [outer, row, inner] to its rows.
template <class = void>
inline light_vector<ipu::copy_piece> row_pieces(std::size_t outer, std::size_t rows, std::size_t inner) {
  if (outer == 1) return {{.length = rows * inner}};
  light_vector<ipu::copy_piece> pieces;
  for (std::size_t r = 0; r < rows; ++r)
    pieces.push_back({.from = {.begin = r * inner, .step = rows * inner},
                      .to = {.begin = r * outer * inner, .step = inner},
                      .length = inner,
                      .count = outer});
  return pieces;
}

/// One operand where the rows are, and what must be copied before and after.
struct placed_rows {
  ipu::variable_id variable{};
  ipu::step before{};
  ipu::step after{};
};

template <class = void>
inline placed_rows place_rows(const lowering& l, const row_share& share, const row_operand& given) {
  const std::size_t elements = l.g[given.variable].elements();
  const ipu::element_type type = l.g[given.variable].type();
  const std::size_t tile = l.where.first_tile;
  if (given.as == row_operand::role::everywhere) {
    const ipu::mapping map = ipu::linear(elements * share.tiles, share.tiles, tile, elements);
    const ipu::arranged all = ipu::arrange(l.g, given.variable, "everywhere", map,
                                           {{.length = elements, .copies = share.tiles, .copy_step = elements}});
    return {all.variable, all.bring, {}};
  }
  const ipu::mapping map = ipu::linear(elements, share.tiles, tile, elements / share.rows);
  light_vector<ipu::copy_piece> pieces = row_pieces(given.outer, share.rows, elements / share.rows / given.outer);
  placed_rows made;
  if (given.as == row_operand::role::written) {
    if (given.outer == 1 && l.g[given.variable].map() == map) return {given.variable, {}, {}};
    made.variable = l.g.add_temporary(ipu::name_from("rows"), type, elements, map);
  } else {
    ipu::arranged in = ipu::arrange(l.g, given.variable, "rows", map, pieces);
    made = {in.variable, std::move(in.bring), {}};
  }
  if (given.as == row_operand::role::read || made.variable.index == given.variable.index) return made;
  for (ipu::copy_piece& p : pieces) p = reversed(p);
  made.after = ipu::deliver(std::move(pieces), made.variable, given.variable);
  return made;
}

}  // namespace impl

/// Runs `code` on `rows` rows: each tile's vertex gets its rows of every operand, and as its field, if the codelet reads
/// any, the number of the first.
template <class = void>
inline ipu::step on_rows(const lowering& l, std::string_view name, std::size_t rows, ipu::codelet code,
                         std::initializer_list<row_operand> operands) {
  const impl::row_share share = impl::share_rows(l, rows);
  light_vector<ipu::operand> given;
  ipu::step program;
  light_vector<ipu::step> after;
  for (const row_operand& o : operands) {
    impl::placed_rows placed = impl::place_rows(l, share, o);
    given.push_back(ipu::whole(placed.variable));
    program.then(std::move(placed.before));
    after.push_back(std::move(placed.after));
  }
  const ipu::compute_set_id set = l.g.add_compute_set(name);
  light_vector<std::size_t> first;
  for (std::size_t v = 0; v < share.tiles; ++v) first.push_back(share.first(v));
  l.g.add_vertices(set, {l.g.add_codelet(std::move(code)), l.where.first_tile, share.tiles, 1, std::move(given), first});
  program.then(ipu::execute(set));
  for (ipu::step& s : after) program.then(std::move(s));
  return program;
}

/// A multiply and an add over all numbers, `passes` times [D: loops of the codelet, as the elementwise table has a product].
constexpr ipu::vertex_cost row_cost(const ipu::architecture& chip, ipu::element_type type, std::size_t elements,
                                    std::size_t passes) {
  ipu::vertex_cost cost = ipu::binary_cost(chip, ipu::binary::mul, type, elements);
  cost.bundles *= passes;
  cost.flops *= 2 * passes;
  return cost;
}

}  // namespace ipuflow::nn
