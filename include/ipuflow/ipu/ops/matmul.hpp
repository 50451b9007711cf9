// SPDX-License-Identifier: BSL-1.0
// A matrix product on the tiles' arrays: blocks of both operands go to their tiles, each to all that need it at once;
// every tile multiplies; partial products of the summed dimension are reduced where they are, each tile a part; results
// go out. In turns, each turn has some of the rows, or of what is summed, or of the columns.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/block_copies.hpp>
#include <ipuflow/ipu/ops/block_reduction.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>
#include <ipuflow/ipu/ops/matrix_kernel.hpp>
#include <ipuflow/ipu/ops/operation_fault.hpp>
#include <ipuflow/ipu/ops/turned_squares.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>
#include <utility>

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

constexpr dimension_cut m_cut(const matmul_shape& s, const matmul_plan& p) { return {s.m, p.m_parts * p.m_turns, p.m_grain}; }
constexpr dimension_cut k_cut(const matmul_shape& s, const matmul_plan& p) { return {s.k, p.k_parts * p.k_turns, p.k_grain}; }

/// One turn of a plan: its number among those of the rows, of the sum and of the columns, and its columns of the result.
struct matmul_turn {
  std::size_t rows = 0, sum = 0;
  std::size_t begin = 0, count = 0;

  constexpr std::size_t m_part(const matmul_plan& p, std::size_t i) const { return i * p.m_turns + rows; }
  constexpr std::size_t k_part(const matmul_plan& p, std::size_t kk) const { return kk * p.k_turns + sum; }
  constexpr dimension_cut columns(const matmul_plan& p) const { return {count, p.n_parts, p.n_grain}; }
};

inline constexpr bytes matmul_code{
    1612};  // of the vendor's, as a profile of BERT shows: 2,372,928 bytes on 1,472 tiles

/// The product of two blocks; the extents of each vertex are its fields. `adds`: to the result of turns before it, in no more time, as the
/// array adds to what it made of other parts of the sum.
template <class = void>
inline codelet matmul_codelet(const matmul_shape& s, bool adds = false) {
  const auto cost = [s](const architecture& chip, lengths, const matrix_shape& b) {
    return block_cost(chip, s, b.m, b.k, b.n);
  };
  const auto make = [&](auto element, auto sum) {
    using operand_element = decltype(element);
    using sum_element = decltype(sum);
    const auto of = [&]<class Out>(Out*) {
      return codelet(
          name_from("matmul"), matmul_code,
          [](const matrix_shape& b, std::span<const operand_element> left, std::span<const operand_element> right, Out out) {
            thread_local matrix_scratch scratch;
            multiply(b, left, right, std::span<sum_element>{out}, scratch, std::is_same_v<Out, inout<sum_element>>);
          },
          cost);
    };
    return adds ? of(static_cast<inout<sum_element>*>(nullptr)) : of(static_cast<std::span<sum_element>*>(nullptr));
  };
  if (s.type == amp_precision::float_float) return make(float{}, float{});
  return s.type == amp_precision::half_half ? make(half{}, half{}) : make(half{}, float{});
}

/// The blocks of `a` for one turn.
template <class = void>
inline arranged left_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id a, const matmul_turn& turn,
                            std::size_t first_tile, const matrix_order& order) {
  block_copies made;
  const dimension_cut m = m_cut(s, p), k = k_cut(s, p);
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
      light_vector<std::size_t> tiles;
      for (std::size_t j = 0; j < p.n_parts; ++j) tiles.push_back(first_tile + p.tile_of(i, kk, j));
      const std::size_t row = turn.m_part(p, i), depth = turn.k_part(p, kk);
      if (s.a_transposed)
        made.add(k.begin(depth), k.size(depth), m.begin(row), m.size(row), s.m, std::move(tiles), order);
      else
        made.add(m.begin(row), m.size(row), k.begin(depth), k.size(depth), s.k, std::move(tiles), order);
    }
  }
  return made.bring(g, a, "matmul left");
}

/// The blocks of `b` for one turn.
template <class = void>
inline arranged right_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id b, const matmul_turn& turn,
                             std::size_t first_tile, const matrix_order& order) {
  block_copies made;
  const dimension_cut k = k_cut(s, p), n = turn.columns(p);
  for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      light_vector<std::size_t> tiles;
      for (std::size_t i = 0; i < p.m_parts; ++i) tiles.push_back(first_tile + p.tile_of(i, kk, j));
      const std::size_t column = turn.begin + n.begin(j), width = n.size(j), depth = turn.k_part(p, kk);
      if (s.b_transposed)
        made.add(column, width, k.begin(depth), k.size(depth), s.k, std::move(tiles), order);
      else
        made.add(k.begin(depth), k.size(depth), column, width, s.n, std::move(tiles), order);
    }
  }
  return made.bring(g, b, "matmul right");
}

/// The tiles of the partial blocks of each (part of the rows, j), one for each kk, where there is any; of every `step`th part from `first`.
template <class = void>
inline light_vector<light_vector<tile_block>> partial_blocks(const matmul_shape& s, const matmul_plan& p, const dimension_cut& n,
                                                           std::size_t first_tile, std::size_t first = 0, std::size_t step = 1) {
  const dimension_cut m = m_cut(s, p);
  light_vector<light_vector<tile_block>> groups;
  for (std::size_t row = first; row < m.parts; row += step) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      if (m.size(row) * n.size(j) == 0) continue;
      groups.emplace_back();
      for (std::size_t kk = 0; kk < p.k_parts; ++kk)
        groups.back().push_back({first_tile + p.tile_of(row / p.m_turns, kk, j), m.size(row) * n.size(j)});
    }
  }
  return groups;
}

/// The vertices of one turn.
template <class = void>
inline step multiply_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, const matmul_turn& turn, const light_vector<operand>& operands,
                            std::size_t first_tile, const matmul_orders& orders) {
  const dimension_cut m = m_cut(s, p), k = k_cut(s, p), n = turn.columns(p);
  light_vector<tile_vertex<matrix_shape>> products;
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      const std::size_t row = turn.m_part(p, i), height = m.size(row), width = n.size(j);
      if (height * width == 0) continue;
      for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
        const std::size_t depth = turn.k_part(p, kk);
        products.push_back({first_tile + p.tile_of(i, kk, j),
                            {height, k.size(depth), width, s.a_transposed, s.b_transposed,
                             panel_of(orders.a, s.a_transposed ? m.begin(row) : k.begin(depth)),
                             panel_of(orders.b, s.b_transposed ? k.begin(depth) : n.begin(j)), panel_of(orders.out, n.begin(j)), s.in_squares}});
      }
    }
  }
  const compute_set_id set = g.add_compute_set("matmul");
  add_on_tiles(g, set, matmul_codelet(s, turn.sum > 0), std::move(products), operands);
  return execute(set);
}

/// The places in the result of the blocks that a turn made.
template <class = void>
inline light_vector<copy_piece> outwards(const matmul_shape& s, const matmul_plan& p, const matmul_turn& turn, const matrix_order& order) {
  const dimension_cut m = m_cut(s, p), n = turn.columns(p);
  if (!order.is_plain() && p.m_turns == 1) return {{.length = s.m * turn.count}};
  light_vector<copy_piece> made;
  std::size_t at = 0;
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    const std::size_t row = turn.m_part(p, i), height = m.size(row);
    if (!order.is_plain()) {
      if (height > 0) made.push_back({.from = {.begin = at}, .to = {.begin = order.block(row, 0)}, .length = height * s.n});
      at += height * s.n;
      continue;
    }
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      const std::size_t width = n.size(j);
      if (height * width == 0) continue;
      made.push_back({.from = {.begin = at, .step = width},
                      .to = {.begin = m.begin(row) * s.n + turn.begin + n.begin(j), .step = s.n},
                      .length = width,
                      .count = height});
      at += height * width;
    }
  }
  return made;
}

/// Blocks on their tiles, for as long as turns need the same.
struct kept_blocks {
  arranged there{};
  std::size_t first = static_cast<std::size_t>(-1), second = 0;  // which parts they are

  template <class Bring>
  operand of(std::size_t a, std::size_t b, step& program, const Bring& bring) {
    if (a != first || b != second) {
      first = a, second = b, there = bring();
      program.then(there.bring);
    }
    return whole(there.variable);
  }
};

struct matmul_variables {
  variable_id a, b, out;
};

/// The turns of the same rows and columns, after which these are whole.
template <class = void>
inline step matmul_turns(graph& g, const matmul_shape& s, const matmul_plan& p, matmul_turn turn, const matmul_variables& of, kept_blocks& left,
                         kept_blocks& right, std::size_t first_tile, const matmul_orders& orders) {
  const light_vector<light_vector<tile_block>> groups = partial_blocks(s, p, turn.columns(p), first_tile, turn.rows, p.m_turns);
  light_vector<tile_block> blocks;
  for (const light_vector<tile_block>& group : groups) blocks.insert(blocks.end(), group.begin(), group.end());
  if (blocks.empty()) return {};
  const element_type to = g[of.out].type();
  const bool reduces = p.k_parts > 1;
  const variable_id* const wanted = orders.out.is_plain() || p.m_turns > 1 ? nullptr : &of.out;
  variable_id result;
  step program;
  for (; turn.sum < p.k_turns; ++turn.sum) {
    const operand a = left.of(turn.rows, turn.sum, program, [&] { return left_blocks(g, s, p, of.a, turn, first_tile, orders.a); });
    const operand b = right.of(turn.sum, turn.begin, program, [&] { return right_blocks(g, s, p, of.b, turn, first_tile, orders.b); });
    if (turn.sum == 0) result = room_in(g, "matmul out", partial_type(s.type), blocks, reduces ? nullptr : wanted);
    program.then(multiply_blocks(g, s, p, turn, {a, b, whole(result)}, first_tile, orders));
  }
  if (reduces) {
    auto [reduced, sums] = reduce_blocks(g, groups, result, to, wanted);
    program.then(std::move(reduced));
    result = sums;
  } else if (to != partial_type(s.type)) {
    const variable_id rounded = room_in(g, "rounded", to, blocks, wanted);
    program.then(cast(g, result, rounded));
    result = rounded;
  }
  if (result.index != of.out.index) program.then(deliver(outwards(s, p, turn, orders.out), result, of.out));
  return program;
}

}  // namespace impl

/// The mapping in which a product makes its results: a variable that has it, in that order, is written in place. The plan has all columns at once.
template <class = void>
[[nodiscard]] mapping where_made(const matmul_shape& s, const matmul_plan& plan, std::size_t first_tile = 0) {
  return mapping_of(impl::shares_of(impl::partial_blocks(s, plan, {s.n, plan.n_parts, plan.n_grain}, first_tile)));
}

/// out = a x b as `plan` says. Operands have the type of the shape's precision; the result may have any. Blocks that several turns read
/// are brought once.
template <class = void>
step matmul(graph& g, const matmul_shape& s, const matmul_plan& plan, variable_id a, variable_id b,
            variable_id out, std::size_t first_tile = 0, const matmul_orders& orders = {}) {
  impl::check_elements(g, "matmul", {{a, s.m * s.k}, {b, s.k * s.n}, {out, s.m * s.n}});
  const dimension_cut columns{s.n, plan.turns, plan.n_grain};
  impl::kept_blocks left, right;
  step program;
  if (s.in_squares) {
    arranged turned_a = with_turned_squares(g, a), turned_b = with_turned_squares(g, b);
    program.then(std::move(turned_a.bring)), program.then(std::move(turned_b.bring));
    a = turned_a.variable, b = turned_b.variable;
  }
  for (std::size_t rows = 0; rows < plan.m_turns; ++rows) {
    for (std::size_t c = 0; c < plan.turns; ++c) {
      const impl::matmul_turn turn{.rows = rows, .begin = columns.begin(c), .count = columns.size(c)};
      if (turn.count > 0) program.then(impl::matmul_turns(g, s, plan, turn, {a, b, out}, left, right, first_tile, orders));
    }
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
