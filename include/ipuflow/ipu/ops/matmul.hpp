// SPDX-License-Identifier: BSL-1.0
// A matrix product on the tiles' arrays: blocks of both operands go to their tiles, each to all that need it at once;
// every tile multiplies; partial products of the summed dimension are reduced where they are, each tile a part; results
// go out.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/block_reduction.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>
#include <ipuflow/ipu/ops/matrix_kernel.hpp>
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

/// The blocks of a matrix, of which each is given to several tiles.
class block_copies {
 public:
  /// Rows [row, row + height) x columns [column, column + width) of a matrix with `pitch` columns, to each of `tiles`. Blocks of an
  /// order that is not plain are runs of it.
  template <class = void>
  void add(std::size_t row, std::size_t height, std::size_t column, std::size_t width, std::size_t pitch, light_vector<std::size_t> tiles,
           const matrix_order& order = {}) {
    const std::size_t size = height * width;
    if (size == 0) return;
    if (order.is_plain())
      blocks_.push_back({row * pitch + column, pitch, width, height, std::move(tiles)});
    else
      blocks_.push_back({order.place(row * pitch + column), 0, size, 1, std::move(tiles)});
  }

  /// The matrix with its blocks on their tiles. If many tiles would send short messages to all of these, a few of them put a block together.
  template <class = void>
  arranged bring(graph& g, variable_id matrix, std::string_view name) const {
    const std::size_t holders = holders_of(g, matrix);
    if (holders == 0) return arrange(g, matrix, name, mapping_of(everywhere()), pieces(true));
    light_vector<tile_block> parts;
    light_vector<copy_piece> again;
    std::size_t from = 0, at = 0;
    for (const block& b : blocks_) {
      const dimension_cut shares = share_cut(b.size(), algorithms::min(holders, b.tiles.size()));
      for (std::size_t h = 0; h < shares.parts; ++h) parts.push_back({b.tiles[h * b.tiles.size() / shares.parts], shares.size(h)});
      again.push_back({.from = {.begin = from}, .to = {.begin = at}, .length = b.size(), .copies = b.tiles.size(), .copy_step = b.size()});
      from += b.size(), at += b.size() * b.tiles.size();
    }
    arranged together = arrange(g, matrix, "parts of blocks", mapping_of(parts), pieces(false));
    arranged made = arrange(g, together.variable, name, mapping_of(everywhere()), std::move(again));
    return {made.variable, sequence(std::move(together.bring), std::move(made.bring))};
  }

 private:
  struct block {
    std::size_t begin = 0, step = 0, run = 0, runs = 0;  // where it is
    light_vector<std::size_t> tiles{};

    std::size_t size() const { return run * runs; }
  };

  light_vector<tile_block> everywhere() const {
    light_vector<tile_block> made;
    for (const block& b : blocks_) {
      for (const std::size_t tile : b.tiles) made.push_back({tile, b.size()});
    }
    return made;
  }
  light_vector<copy_piece> pieces(bool to_all) const {
    light_vector<copy_piece> made;
    std::size_t at = 0;
    for (const block& b : blocks_) {
      const std::size_t copies = to_all ? b.tiles.size() : 1;
      made.push_back({.from = {.begin = b.begin, .step = b.step},
                      .to = {.begin = at, .step = b.run},
                      .length = b.run,
                      .count = b.runs,
                      .copies = copies,
                      .copy_step = b.size()});
      at += b.size() * copies;
    }
    return made;
  }

  /// The tiles that put a block together; none, if its messages are as long as one instruction can send them. With as many tiles as
  /// messages for each of them both exchanges have the fewest.
  template <class = void>
  std::size_t holders_of(const graph& g, variable_id matrix) const {
    const variable& v = g[matrix];
    const std::size_t held = divided_up(v.elements(), algorithms::max<std::size_t>(1, v.tiles().size()));
    std::size_t messages = 0, readers = 0;
    for (const block& b : blocks_) {
      if (algorithms::min(b.run, held) * size_of(v.type()) >= words_of_send * word) continue;
      messages = algorithms::max(messages, b.runs * divided_up(b.run, held)), readers = algorithms::max(readers, b.tiles.size());
    }
    std::size_t holders = 1;
    while (holders * holders < messages) ++holders;
    holders = algorithms::min(holders, algorithms::max<std::size_t>(1, readers) - 1);  // one without a part gets all words: so long a timetable takes, too
    constexpr std::size_t phase = code_of_phase / control;
    return holders > 1 && holders + divided_up(messages, holders) + phase < messages ? holders : 0;
  }

  light_vector<block> blocks_{};
};

/// The blocks of `a` for columns of one turn.
template <class = void>
inline arranged left_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id a,
                            std::size_t first_tile, const matrix_order& order) {
  block_copies made;
  const dimension_cut m = m_cut(s, p), k = k_cut(s, p);
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
      light_vector<std::size_t> tiles;
      for (std::size_t j = 0; j < p.n_parts; ++j) tiles.push_back(first_tile + p.tile_of(i, kk, j));
      if (s.a_transposed)
        made.add(k.begin(kk), k.size(kk), m.begin(i), m.size(i), s.m, std::move(tiles), order);
      else
        made.add(m.begin(i), m.size(i), k.begin(kk), k.size(kk), s.k, std::move(tiles), order);
    }
  }
  return made.bring(g, a, "matmul left");
}

/// The blocks of `b`: columns [begin, begin + count) of it.
template <class = void>
inline arranged right_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id b, std::size_t begin,
                             std::size_t count, std::size_t first_tile, const matrix_order& order) {
  block_copies made;
  const dimension_cut k = k_cut(s, p), n{count, p.n_parts, p.n_grain};
  for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      light_vector<std::size_t> tiles;
      for (std::size_t i = 0; i < p.m_parts; ++i) tiles.push_back(first_tile + p.tile_of(i, kk, j));
      const std::size_t column = begin + n.begin(j), width = n.size(j);
      if (s.b_transposed)
        made.add(column, width, k.begin(kk), k.size(kk), s.k, std::move(tiles), order);
      else
        made.add(k.begin(kk), k.size(kk), column, width, s.n, std::move(tiles), order);
    }
  }
  return made.bring(g, b, "matmul right");
}

/// The tiles of the partial blocks of each (i, j), one for each kk, where there is any; `n`: the columns of a turn.
template <class = void>
inline light_vector<light_vector<tile_block>> partial_blocks(const matmul_shape& s, const matmul_plan& p, const dimension_cut& n,
                                                           std::size_t first_tile) {
  const dimension_cut m = m_cut(s, p);
  light_vector<light_vector<tile_block>> groups;
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
  const light_vector<light_vector<tile_block>> groups = partial_blocks(s, p, n, first_tile);
  light_vector<tile_block> blocks;
  for (const light_vector<tile_block>& group : groups) blocks.insert(blocks.end(), group.begin(), group.end());
  light_vector<tile_vertex<matrix_shape>> products;
  light_vector<copy_piece> outwards;
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
