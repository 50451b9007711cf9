// SPDX-License-Identifier: BSL-1.0
// Rows of a table by index, and rows added into a table by index. Each tile looks all indices up in its own block of the table;
// what misses gives zero, and parts of a row are added up. Tables are stored block after block, as `table_order` has them, so that
// one with the mapping of `table_mapping` stays where it is.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/operation_fault.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/ipu/ops/table_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

template <class = void>
inline table_plan plan_table(const graph& g, const gather_shape& s, const plan_options& options) {
  return ipu::plan_table(s, tiles_for(g, options), options.first_tile);
}

template <class = void>
inline mapping mapping_of(const table_plan& p) {
  mapping made;
  std::size_t end = 0;
  for (std::size_t i = 0; i < p.tiles(); ++i) {  // in the order in which the blocks are stored
    const std::size_t r = p.by_columns ? i % p.rows.parts : i / p.columns.parts;
    const std::size_t c = p.by_columns ? i / p.rows.parts : i % p.columns.parts;
    const std::size_t begin = end;
    made.push_back({begin, end += p.rows.size(r) * p.columns.size(c), p.tile(r, c)});
  }
  return made;
}

/// The table on the tiles of the plan, element by element.
template <class = void>
inline arranged table_on_tiles(graph& g, const gather_shape& s, const table_plan& p, variable_id table) {
  const mapping map = mapping_of(p);
  if (g[table].map() == map) return {table, sequence()};
  return arrange(g, table, "table", map, {{.length = s.rows * s.width}});
}

/// The checks of a shape, and of the variables of both operations.
template <class = void>
void check_table(const graph& g, operation_name of, const gather_shape& s, variable_id table, variable_id indices,
                 variable_id rows) {
  throw_if(verify_sizes(of, {{"rows", s.rows}, {"width", s.width}, {"indices", s.indices}}));
  check_elements(g, of, {{table, s.rows * s.width}, {indices, s.indices}, {rows, s.indices * s.width}});
}

/// All indices on every tile of the plan.
template <class = void>
inline arranged indices_everywhere(graph& g, const gather_shape& s, const table_plan& p, variable_id indices) {
  light_vector<tile_block> blocks;
  for (std::size_t t = 0; t < p.tiles(); ++t) blocks.push_back({p.first_tile + t, s.indices});
  return arrange(g, indices, "indices", mapping_of(blocks),
                 {{.length = s.indices, .copies = blocks.size(), .copy_step = s.indices}});
}

/// The first row of each tile's block, by the number of its vertex.
template <class = void>
inline light_vector<std::size_t> first_rows(const table_plan& p) {
  light_vector<std::size_t> made;
  for (std::size_t t = 0; t < p.tiles(); ++t) made.push_back(p.rows.begin(t / p.columns.parts));
  return made;
}

/// The rows that are looked up in a block, whose columns follow each other if it is stored by columns.
struct row_look_up {
  std::size_t indices;
  bool by_columns;

  /// Calls `visit(place in the block, place in the rows)` for each number of each row in the block, in the order of `index`.
  template <class Visit>
  void each(std::size_t first, std::size_t held, std::span<const std::int32_t> index, std::size_t found, Visit&& visit) const {
    const std::size_t wide = found / indices, high = held / wide;
    const std::size_t row_step = by_columns ? 1 : wide, column_step = by_columns ? high : 1;
    for (std::size_t i = 0; i < indices; ++i) {
      const std::size_t row = static_cast<std::size_t>(index[i]) - first;  // wraps if below
      if (row >= high) continue;
      for (std::size_t c = 0; c < wide; ++c) visit(row * row_step + c * column_step, i * wide + c);
    }
  }
};

/// The cost of a look-up, by that of one of `hits` among `indices` in rows of some width: by columns each is looked up in.
template <class Cost>
vertex_cost look_up_cost(const table_plan& p, std::size_t indices, std::size_t found, Cost&& cost) {
  if (p.by_columns) return cost(found, divided_up(found, p.rows.parts), std::size_t{1});
  return cost(indices, divided_up(indices, p.rows.parts), found / indices);
}

}  // namespace impl

/// The order of a table that `gather` and `scatter_add` take: it depends on the number of indices, unless it is by columns.
template <class = void>
inline matrix_order table_order(const graph& g, const gather_shape& s, const plan_options& options = {}) {
  return impl::plan_table(g, s, options).order();
}
/// The mapping that saves them a copy of the table.
template <class = void>
inline mapping table_mapping(const graph& g, const gather_shape& s, const plan_options& options = {}) {
  return impl::mapping_of(impl::plan_table(g, s, options));
}

/// out[i, :] = row index[i] of the table; indices are i32.
template <class = void>
inline step gather(graph& g, const gather_shape& s, variable_id table, variable_id indices, variable_id out,
                   const plan_options& options = {}) {
  impl::check_table(g, "gather", s, table, indices, out);
  const table_plan p = impl::plan_table(g, s, options);
  const arranged rows = impl::table_on_tiles(g, s, p, table);
  const arranged wanted = impl::indices_everywhere(g, s, p, indices);
  light_vector<tile_block> blocks;
  light_vector<copy_piece> outwards;
  for (std::size_t t = 0; t < p.tiles(); ++t) {
    blocks.push_back({p.first_tile + t, s.indices * p.columns.size(t % p.columns.parts)});
  }
  const std::size_t all = s.indices * s.width;
  const element_type type = g[table].type();
  variable_id found = g.add_temporary(name_from("gathered"), type, all * p.rows.parts, mapping_of(blocks));
  const impl::row_look_up look_up{s.indices, s.by_columns};
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("gather"), elementwise_code,
        [look_up](std::size_t first, std::span<const type_of> held, std::span<const std::int32_t> index,
                  std::span<type_of> made) {
          for (type_of& m : made) m = type_of{};
          look_up.each(first, held.size(), index, made.size(),
                       [&](std::size_t from, std::size_t to) { made[to] = held[from]; });
        },
        [type, p](const architecture& chip, lengths n) {
          return impl::look_up_cost(p, n[1], n[2], [&](auto... of) { return impl::gather_cost(chip, type, of...); });
        });
  });
  const compute_set_id set = g.add_compute_set("gather");
  g.add_vertices(set, {g.add_codelet(code),
                       p.first_tile,
                       p.tiles(),
                       1,
                       {whole(rows.variable), whole(wanted.variable), whole(found)},
                       impl::first_rows(p)});
  step program = sequence(rows.bring, wanted.bring, execute(set));
  if (p.rows.parts > 1) {
    const mapping pairs = linear(all, tiles_for(g, options), options.first_tile, 2);  // as columns are cut
    const variable_id summed = g.add_temporary(name_from("gathered rows"), type, all, pairs);
    program.then(reduce(g, reduce_operation::sum, {1, p.rows.parts, all}, found, summed, options));
    found = summed;
  }
  std::size_t at = 0;
  for (std::size_t c = 0; c < p.columns.parts; ++c) {
    const std::size_t wide = p.columns.size(c);
    outwards.push_back({.from = {found, at, wide},
                        .to = {out, p.columns.begin(c), s.width},
                        .length = wide,
                        .count = s.indices});
    at += s.indices * wide;
  }
  program.then(copy(std::move(outwards)));
  return program;
}

/// Row index[i] of the table += scale * in[i, :], in the order of i.
template <class = void>
inline step scatter_add(graph& g, const gather_shape& s, variable_id table, variable_id indices, variable_id in,
                        float scale, const plan_options& options = {}) {
  impl::check_table(g, "scatter_add", s, table, indices, in);
  const table_plan p = impl::plan_table(g, s, options);
  const arranged rows = impl::table_on_tiles(g, s, p, table);
  const arranged wanted = impl::indices_everywhere(g, s, p, indices);
  light_vector<tile_block> blocks;
  light_vector<copy_piece> inwards;
  std::size_t at = 0;
  for (std::size_t c = 0; c < p.columns.parts; ++c) {  // the same columns for every part of the rows
    const std::size_t wide = p.columns.size(c);
    inwards.push_back({.from = {.begin = p.columns.begin(c), .step = s.width},
                       .to = {.begin = at, .step = wide},
                       .length = wide,
                       .count = s.indices,
                       .copies = p.rows.parts,
                       .copy_step = s.indices * wide});
    for (std::size_t r = 0; r < p.rows.parts; ++r) blocks.push_back({p.tile(r, c), s.indices * wide});
    at += s.indices * wide * p.rows.parts;
  }
  const arranged added = arrange(g, in, "added rows", mapping_of(blocks), std::move(inwards));
  const element_type type = g[table].type();
  const impl::row_look_up look_up{s.indices, s.by_columns};
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("scatter add"), elementwise_code,
        [scale, look_up](std::size_t first, inout<type_of> held, std::span<const std::int32_t> index,
                         std::span<const type_of> more) {
          look_up.each(first, held.size(), index, more.size(), [&](std::size_t to, std::size_t from) {
            held[to] = type_of{float{held[to]} + scale * float{more[from]}};
          });
        },
        [type, p](const architecture& chip, lengths n) {
          return impl::look_up_cost(p, n[1], n[2], [&](auto... of) { return impl::scatter_cost(chip, type, of...); });
        });
  });
  const compute_set_id set = g.add_compute_set("scatter add");
  g.add_vertices(set, {g.add_codelet(code),
                       p.first_tile,
                       p.tiles(),
                       1,
                       {whole(rows.variable), whole(wanted.variable), whole(added.variable)},
                       impl::first_rows(p)});
  step program = sequence(rows.bring, wanted.bring, added.bring, execute(set));
  if (rows.variable.index != table.index) {
    program.then(copy_all(g, rows.variable, table));
  }
  return program;
}

}  // namespace ipuflow::ipu
