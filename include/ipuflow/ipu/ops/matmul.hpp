// SPDX-License-Identifier: BSL-1.0
// A matrix product on the tiles' arrays: blocks of both operands go to their tiles, each to all that need it at once;
// every tile multiplies; partial products of the summed dimension are reduced where they are, each tile a part; results
// go out.
#pragma once

#include <ipuflow/ipu/ops/block_reduction.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>
#include <ipuflow/ipu/ops/matrix_kernel.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

template <class = void>
inline matmul_plan plan_matmul(const graph& g, const matmul_shape& s, const plan_options& options = {}) {
  return plan_matmul(g.chip(), s, tiles_for(g, options), memory_for(g, options));
}

namespace impl {

/// Columns of each panel of a block that begins at that column; none if the order is plain.
constexpr std::size_t panel_of(const matrix_order& o, std::size_t column) {
  return o.is_plain() ? 0 : o.columns.size(o.columns.part_of(column));
}

constexpr dimension_cut m_cut(const matmul_shape& s, const matmul_plan& p) { return {s.m, p.m_parts, p.m_grain}; }
constexpr dimension_cut k_cut(const matmul_shape& s, const matmul_plan& p) { return {s.k, p.k_parts, p.k_grain}; }

inline constexpr bytes matmul_code{
    1612};  // of the vendor's, as a profile of BERT shows: 2,372,928 bytes on 1,472 tiles

/// The product of two blocks; the extents of each vertex are its fields.
template <class = void>
inline codelet matmul_codelet(const matmul_shape& s) {
  const auto cost = [s](const architecture& chip, lengths, const matrix_shape& b) {
    return block_cost(chip, s, b.m, b.k, b.n);
  };
  const auto make = [&](auto element, auto sum) {
    using operand_element = decltype(element);
    using sum_element = decltype(sum);
    return codelet(
        name_from("matmul"), matmul_code,
        [](const matrix_shape& b, std::span<const operand_element> left, std::span<const operand_element> right,
           std::span<sum_element> out) {
          thread_local matrix_scratch scratch;
          multiply(b, left, right, out, scratch);
        },
        cost);
  };
  if (s.type == amp_precision::float_float) return make(float{}, float{});
  return s.type == amp_precision::half_half ? make(half{}, half{}) : make(half{}, float{});
}

/// A matrix of `rows` x `columns` elements of which each pair of parts is a block, given to several tiles.
struct block_copies {
  std::vector<tile_block> blocks{};
  std::vector<copy_piece> pieces{};
  std::size_t at = 0;

  /// Rows [row, row + height) x columns [column, column + width) of a matrix with `pitch` columns, to each of `tiles`. Blocks of an
  /// order that is not plain are runs of it.
  template <class = void>
  void add(std::size_t row, std::size_t height, std::size_t column, std::size_t width, std::size_t pitch,
           const std::vector<std::size_t>& tiles, const matrix_order& order = {}) {
    const std::size_t size = height * width;
    if (size == 0) return;
    if (order.is_plain())
      pieces.push_back({.from = {.begin = row * pitch + column, .step = pitch},
                        .to = {.begin = at, .step = width},
                        .length = width,
                        .count = height,
                        .copies = tiles.size(),
                        .copy_step = size});
    else
      pieces.push_back({.from = {.begin = order.place(row * pitch + column)},
                        .to = {.begin = at},
                        .length = size,
                        .copies = tiles.size(),
                        .copy_step = size});
    for (const std::size_t tile : tiles) blocks.push_back({tile, size});
    at += size * tiles.size();
  }
};

/// The blocks of `a` for columns of one turn.
template <class = void>
inline arranged left_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id a,
                            std::size_t first_tile, const matrix_order& order) {
  block_copies made;
  const dimension_cut m = m_cut(s, p), k = k_cut(s, p);
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
      std::vector<std::size_t> tiles;
      for (std::size_t j = 0; j < p.n_parts; ++j) tiles.push_back(first_tile + p.tile_of(i, kk, j));
      if (s.a_transposed)
        made.add(k.begin(kk), k.size(kk), m.begin(i), m.size(i), s.m, tiles, order);
      else
        made.add(m.begin(i), m.size(i), k.begin(kk), k.size(kk), s.k, tiles, order);
    }
  }
  return arrange(g, a, "matmul left", mapping_of(made.blocks), std::move(made.pieces));
}

/// The blocks of `b`: columns [begin, begin + count) of it.
template <class = void>
inline arranged right_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id b, std::size_t begin,
                             std::size_t count, std::size_t first_tile, const matrix_order& order) {
  block_copies made;
  const dimension_cut k = k_cut(s, p), n{count, p.n_parts, p.n_grain};
  for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      std::vector<std::size_t> tiles;
      for (std::size_t i = 0; i < p.m_parts; ++i) tiles.push_back(first_tile + p.tile_of(i, kk, j));
      const std::size_t column = begin + n.begin(j), width = n.size(j);
      if (s.b_transposed)
        made.add(column, width, k.begin(kk), k.size(kk), s.k, tiles, order);
      else
        made.add(k.begin(kk), k.size(kk), column, width, s.n, tiles, order);
    }
  }
  return arrange(g, b, "matmul right", mapping_of(made.blocks), std::move(made.pieces));
}

/// The tiles of the partial blocks of each (i, j), one for each kk, where there is any; `n`: the columns of a turn.
template <class = void>
inline std::vector<std::vector<tile_block>> partial_blocks(const matmul_shape& s, const matmul_plan& p, const dimension_cut& n,
                                                           std::size_t first_tile) {
  const dimension_cut m = m_cut(s, p);
  std::vector<std::vector<tile_block>> groups;
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      if (m.size(i) * n.size(j) == 0) continue;
      groups.emplace_back();
      for (std::size_t kk = 0; kk < p.k_parts; ++kk)
        groups.back().push_back({first_tile + p.tile_of(i, kk, j), m.size(i) * n.size(j)});
    }
  }
  return groups;
}

/// One turn: `count` columns of the result from `begin`.
template <class = void>
inline step matmul_turn(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id left, variable_id b,
                        variable_id out, std::size_t begin, std::size_t count, std::size_t first_tile,
                        const matmul_orders& orders) {
  const arranged right = right_blocks(g, s, p, b, begin, count, first_tile, orders.b);
  const dimension_cut m = m_cut(s, p), k = k_cut(s, p), n{count, p.n_parts, p.n_grain};
  const std::vector<std::vector<tile_block>> groups = partial_blocks(s, p, n, first_tile);
  std::vector<tile_block> blocks;
  for (const std::vector<tile_block>& group : groups) blocks.insert(blocks.end(), group.begin(), group.end());
  std::vector<tile_vertex<matrix_shape>> products;
  std::vector<copy_piece> outwards;
  std::size_t at = 0;
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      const std::size_t height = m.size(i), width = n.size(j);
      if (height * width == 0) continue;
      for (std::size_t kk = 0; kk < p.k_parts; ++kk)
        products.push_back({first_tile + p.tile_of(i, kk, j),
                            {height, k.size(kk), width, s.a_transposed, s.b_transposed,
                             panel_of(orders.a, s.a_transposed ? m.begin(i) : k.begin(kk)),
                             panel_of(orders.b, s.b_transposed ? k.begin(kk) : n.begin(j)), panel_of(orders.out, n.begin(j))}});
      if (orders.out.is_plain())
        outwards.push_back({.from = {.begin = at, .step = width},
                            .to = {.begin = m.begin(i) * s.n + begin + n.begin(j), .step = s.n},
                            .length = width,
                            .count = height});
      at += height * width;
    }
  }
  if (!orders.out.is_plain()) outwards = {{.length = at}};
  const element_type to = g[out].type();
  const bool reduces = p.k_parts > 1;
  const variable_id* const wanted = orders.out.is_plain() ? nullptr : &out;
  variable_id result = room_in(g, "matmul out", partial_type(s.type), blocks, reduces ? nullptr : wanted);
  const compute_set_id set = g.add_compute_set("matmul");
  add_on_tiles(g, set, matmul_codelet(s), std::move(products), {whole(left), whole(right.variable), whole(result)});
  step program = sequence(right.bring, execute(set));
  if (reduces) {
    auto [reduced, sums] = reduce_blocks(g, groups, result, to, wanted);
    program.then(std::move(reduced));
    result = sums;
  } else if (to != partial_type(s.type)) {
    const variable_id rounded = room_in(g, "rounded", to, blocks, wanted);
    program.then(cast(g, result, rounded));
    result = rounded;
  }
  if (result.index != out.index) program.then(deliver(std::move(outwards), result, out));
  return program;
}

}  // namespace impl

/// The mapping in which a product makes its results: a variable that has it, in that order, is written in place. The plan has one turn.
template <class = void>
[[nodiscard]] mapping where_made(const matmul_shape& s, const matmul_plan& plan, std::size_t first_tile = 0) {
  return mapping_of(impl::shares_of(impl::partial_blocks(s, plan, {s.n, plan.n_parts, plan.n_grain}, first_tile)));
}

/// out = a x b as `plan` says. Operands have the type of the shape's precision; the result may have any.
template <class = void>
step matmul(graph& g, const matmul_shape& s, const matmul_plan& plan, variable_id a, variable_id b,
            variable_id out, std::size_t first_tile = 0, const matmul_orders& orders = {}) {
  const arranged left = impl::left_blocks(g, s, plan, a, first_tile, orders.a);
  step program = left.bring;
  for (std::size_t turn = 0; turn < plan.turns; ++turn) {
    const dimension_cut turns{s.n, plan.turns, plan.n_grain};
    const std::size_t begin = turns.begin(turn), count = turns.size(turn);
    if (count > 0) program.then(impl::matmul_turn(g, s, plan, left.variable, b, out, begin, count, first_tile, orders));
  }
  return program;
}

template <class = void>
step matmul(graph& g, const matmul_shape& s, variable_id a, variable_id b, variable_id out,
            const plan_options& options = {}) {
  return matmul(g, s, plan_matmul(g, s, options), a, b, out, options.first_tile);
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template step matmul<>(graph&, const matmul_shape&, const matmul_plan&, variable_id, variable_id, variable_id,
                              std::size_t, const matmul_orders&);
#endif

}  // namespace ipuflow::ipu
