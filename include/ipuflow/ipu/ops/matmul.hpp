// SPDX-License-Identifier: BSL-1.0
// A matrix product on the tiles' arrays: blocks of both operands go to their tiles, each to all that need it at once;
// every tile multiplies; partial products of the summed dimension are reduced where they are, each tile a part; results
// go out.
#pragma once

#include <ipuflow/ipu/ops/matmul_plan.hpp>
#include <ipuflow/ipu/ops/matrix_kernel.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

namespace impl {

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

  /// Rows [row, row + height) x columns [column, column + width) of a matrix with `pitch` columns, to each of `tiles`.
  template <class = void>
  void add(std::size_t row, std::size_t height, std::size_t column, std::size_t width, std::size_t pitch,
           const std::vector<std::size_t>& tiles) {
    const std::size_t size = height * width;
    if (size == 0) return;
    pieces.push_back({.from = {.begin = row * pitch + column, .step = pitch},
                      .to = {.begin = at, .step = width},
                      .length = width,
                      .count = height,
                      .copies = tiles.size(),
                      .copy_step = size});
    for (const std::size_t tile : tiles) blocks.push_back({tile, size});
    at += size * tiles.size();
  }
};

/// The blocks of `a` for columns of one turn.
template <class = void>
inline arranged left_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id a,
                            std::size_t first_tile) {
  block_copies made;
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
      std::vector<std::size_t> tiles;
      for (std::size_t j = 0; j < p.n_parts; ++j) tiles.push_back(first_tile + p.tile_of(i, kk, j));
      const std::size_t row = part_begin(s.m, p.m_parts, i);
      const std::size_t height = part_size(s.m, p.m_parts, i);
      const std::size_t column = part_begin(s.k, p.k_parts, kk);
      const std::size_t width = part_size(s.k, p.k_parts, kk);
      if (s.a_transposed)
        made.add(column, width, row, height, s.m, tiles);
      else
        made.add(row, height, column, width, s.k, tiles);
    }
  }
  return arrange(g, a, "matmul left", mapping_of(made.blocks), std::move(made.pieces));
}

/// The blocks of `b`: columns [begin, begin + count) of it.
template <class = void>
inline arranged right_blocks(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id b, std::size_t begin,
                             std::size_t count, std::size_t first_tile) {
  block_copies made;
  for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      std::vector<std::size_t> tiles;
      for (std::size_t i = 0; i < p.m_parts; ++i) tiles.push_back(first_tile + p.tile_of(i, kk, j));
      const std::size_t row = part_begin(s.k, p.k_parts, kk);
      const std::size_t height = part_size(s.k, p.k_parts, kk);
      const std::size_t column = begin + part_begin(count, p.n_parts, j);
      const std::size_t width = part_size(count, p.n_parts, j);
      if (s.b_transposed)
        made.add(column, width, row, height, s.k, tiles);
      else
        made.add(row, height, column, width, s.n, tiles);
    }
  }
  return arrange(g, b, "matmul right", mapping_of(made.blocks), std::move(made.pieces));
}

/// Partial blocks of (i, j), one after the other for each kk, to sums in the same order of elements, each tile a share.
template <class = void>
inline std::pair<step, variable_id> reduce_blocks(graph& g, const std::vector<std::vector<tile_block>>& groups,
                                                  variable_id partials, element_type to) {
  std::vector<tile_block> gathered;
  std::vector<tile_block> shares;
  std::vector<copy_piece> pieces;
  std::size_t from = 0;
  std::size_t at = 0;
  for (const std::vector<tile_block>& group : groups) {
    const std::size_t parts = group.size();
    const std::size_t size = group[0].elements;
    for (std::size_t t = 0; t < parts; ++t) {
      const std::size_t share = part_size(size, parts, t);
      if (share == 0) continue;
      pieces.push_back({.from = {.begin = from + part_begin(size, parts, t), .step = size},
                        .to = {.begin = at, .step = share},
                        .length = share,
                        .count = parts});
      gathered.push_back({group[t].tile, share * parts});
      shares.push_back({group[t].tile, share});
      at += share * parts;
    }
    from += size * parts;
  }
  const arranged in = arrange(g, partials, "partials", mapping_of(gathered), std::move(pieces));
  std::size_t results = 0;
  for (const tile_block& b : shares) results += b.elements;
  const variable_id sums = g.add_temporary(name_from("sums"), to, results, mapping_of(shares));
  const codelet code = reduce_codelet(reduce_operation::sum, g[partials].type(), to);
  return {sequence(in.bring, on_each_tile(g, "reduce", code, sums, {whole(in.variable), whole(sums)})), sums};
}

/// One turn: `count` columns of the result from `begin`.
template <class = void>
inline step matmul_turn(graph& g, const matmul_shape& s, const matmul_plan& p, variable_id left, variable_id b,
                        variable_id out, std::size_t begin, std::size_t count, std::size_t first_tile) {
  const arranged right = right_blocks(g, s, p, b, begin, count, first_tile);
  std::vector<tile_block> blocks;
  std::vector<std::vector<tile_block>> groups;
  std::vector<tile_vertex<matrix_shape>> products;
  std::vector<copy_piece> outwards;
  std::size_t at = 0;
  for (std::size_t i = 0; i < p.m_parts; ++i) {
    for (std::size_t j = 0; j < p.n_parts; ++j) {
      const std::size_t height = part_size(s.m, p.m_parts, i);
      const std::size_t width = part_size(count, p.n_parts, j);
      if (height * width == 0) continue;
      groups.emplace_back();
      for (std::size_t kk = 0; kk < p.k_parts; ++kk) {
        const std::size_t tile = first_tile + p.tile_of(i, kk, j);
        groups.back().push_back({tile, height * width});
        products.push_back({tile, {height, part_size(s.k, p.k_parts, kk), width, s.a_transposed, s.b_transposed}});
      }
      blocks.insert(blocks.end(), groups.back().begin(), groups.back().end());
      const std::size_t first = part_begin(s.m, p.m_parts, i) * s.n + begin + part_begin(count, p.n_parts, j);
      outwards.push_back({.from = {.begin = at, .step = width},
                          .to = {.begin = first, .step = s.n},
                          .length = width,
                          .count = height});
      at += height * width;
    }
  }
  const element_type to = g[out].type();
  const bool reduces = p.k_parts > 1;
  variable_id result =
      g.add_temporary(name_from("matmul out"), partial_type(s.type), at * p.k_parts, mapping_of(blocks));
  const compute_set_id set = g.add_compute_set("matmul");
  add_on_tiles(g, set, matmul_codelet(s), std::move(products), {whole(left), whole(right.variable), whole(result)});
  step program = sequence(right.bring, execute(set));
  if (reduces) {
    auto [reduced, sums] = reduce_blocks(g, groups, result, to);
    program.then(std::move(reduced));
    result = sums;
  } else if (to != partial_type(s.type)) {
    const variable_id rounded = g.add_temporary(name_from("rounded"), to, at, g[result].map());
    program.then(cast(g, result, rounded));
    result = rounded;
  }
  program.then(deliver(std::move(outwards), result, out));
  return program;
}

}  // namespace impl

/// out = a x b as `plan` says. Operands have the type of the shape's precision; the result may have any.
template <class = void>
step matmul(graph& g, const matmul_shape& s, const matmul_plan& plan, variable_id a, variable_id b,
            variable_id out, std::size_t first_tile = 0) {
  const arranged left = impl::left_blocks(g, s, plan, a, first_tile);
  step program = left.bring;
  for (std::size_t turn = 0; turn < plan.turns; ++turn) {
    const std::size_t begin = impl::part_begin(s.n, plan.turns, turn);
    const std::size_t count = part_size(s.n, plan.turns, turn);
    if (count > 0) program.then(impl::matmul_turn(g, s, plan, left.variable, b, out, begin, count, first_tile));
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
                              std::size_t);
#endif

}  // namespace ipuflow::ipu
