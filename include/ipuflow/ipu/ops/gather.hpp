// SPDX-License-Identifier: BSL-1.0
// Rows of a table by index, and rows added into a table by index. Columns are shared out over tiles, every tile looks
// all indices up in its columns; if the columns are fewer than the tiles, rows are shared out too, and what misses
// gives zero. Tables are stored column after column, so that one with the mapping of `table_mapping` stays where it is.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu {

/// The sizes of a look-up of rows of a table.
struct gather_shape {
  std::size_t rows = 0;     ///< of the table
  std::size_t width = 0;    ///< numbers of a row
  std::size_t indices = 0;  ///< rows that are looked up
};

namespace impl {

/// The places of a table's blocks: tile (r, c) holds rows of part r, columns of part c.
struct table_plan {
  std::size_t row_parts, column_parts, first_tile;

  std::size_t tile(std::size_t r, std::size_t c) const { return first_tile + r * column_parts + c; }
};

/// As many columns as tiles where there are enough, rows in parts where a tile cannot hold or look through them.
template <class = void>
inline table_plan plan_table(const graph& g, const gather_shape& s, element_type type, const plan_options& options) {
  const std::size_t tiles = tiles_for(g, options);
  const std::size_t columns = algorithms::min(tiles, s.width);
  const bytes most = algorithms::max(1_B, memory_for(g, options));
  const std::size_t in_memory = divided_up(s.rows * divided_up(s.width, columns) * size_of(type), most.value);
  const std::size_t rows = algorithms::min(s.rows, tiles / columns, algorithms::max<std::size_t>(in_memory, s.rows / 1024));
  return {algorithms::max<std::size_t>(1, rows), columns, options.first_tile};
}

template <class = void>
inline mapping mapping_of(const gather_shape& s, const table_plan& p) {
  mapping made;
  for (std::size_t part = 0; part < p.column_parts; ++part) {
    for (std::size_t c = part_begin(s.width, p.column_parts, part); c < part_begin(s.width, p.column_parts, part + 1); ++c) {
      for (std::size_t r = 0; r < p.row_parts; ++r) {
        const mapped_interval next{c * s.rows + part_begin(s.rows, p.row_parts, r), c * s.rows + part_begin(s.rows, p.row_parts, r + 1),
                                   p.tile(r, part)};
        if (!made.empty() && made.back().tile == next.tile)
          made.back().end = next.end;
        else
          made.push_back(next);
      }
    }
  }
  return made;
}

/// The table on the tiles of the plan, element by element.
template <class = void>
inline arranged table_on_tiles(graph& g, const gather_shape& s, const table_plan& p, variable_id table) {
  const mapping map = mapping_of(s, p);
  if (g[table].map() == map) return {table, sequence()};
  return arrange(g, table, "table", map, {{.length = s.rows * s.width}});
}

/// All indices on every tile of the plan.
template <class = void>
inline arranged indices_everywhere(graph& g, const gather_shape& s, const table_plan& p, variable_id indices) {
  light_vector<tile_block> blocks;
  for (std::size_t t = 0; t < p.row_parts * p.column_parts; ++t) blocks.push_back({p.first_tile + t, s.indices});
  return arrange(g, indices, "indices", mapping_of(blocks),
                 {{.length = s.indices, .copies = blocks.size(), .copy_step = s.indices}});
}

/// The first row of each tile's block, by the number of its vertex.
template <class = void>
inline light_vector<std::size_t> first_rows(const gather_shape& s, const table_plan& p) {
  light_vector<std::size_t> made;
  for (std::size_t t = 0; t < p.row_parts * p.column_parts; ++t)
    made.push_back(part_begin(s.rows, p.row_parts, t / p.column_parts));
  return made;
}

}  // namespace impl

/// The mapping that saves `gather` and `scatter_add` a copy of the table, if its numbers have this type.
template <class = void>
inline mapping table_mapping(const graph& g, const gather_shape& s, element_type type, const plan_options& options = {}) {
  return impl::mapping_of(s, impl::plan_table(g, s, type, options));
}

/// out[i, :] = table[:, index[i]]; indices are i32.
template <class = void>
inline step gather(graph& g, const gather_shape& s, variable_id table, variable_id indices, variable_id out,
                   const plan_options& options = {}) {
  const impl::table_plan p = impl::plan_table(g, s, g[table].type(), options);
  const arranged rows = impl::table_on_tiles(g, s, p, table);
  const arranged wanted = impl::indices_everywhere(g, s, p, indices);
  light_vector<tile_block> blocks;
  light_vector<copy_piece> outwards;
  for (std::size_t t = 0; t < p.row_parts * p.column_parts; ++t)
    blocks.push_back({p.first_tile + t, s.indices * part_size(s.width, p.column_parts, t % p.column_parts)});
  const std::size_t all = s.indices * s.width;
  variable_id found = g.add_temporary(name_from("gathered"), g[table].type(), all * p.row_parts, mapping_of(blocks));
  const element_type type = g[table].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("gather"), elementwise_code,
        [n = s.indices](std::size_t first, std::span<const type_of> held, std::span<const std::int32_t> index,
                        std::span<type_of> made) {
          const std::size_t wide = made.size() / n;
          const std::size_t high = held.size() / wide;
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t row = static_cast<std::size_t>(index[i]) - first;  // wraps if below
            for (std::size_t c = 0; c < wide; ++c) made[i * wide + c] = row < high ? held[c * high + row] : type_of{};
          }
        },
        [type, parts = p.row_parts](const architecture& chip, lengths n) {
          return impl::gather_cost(chip, type, n[2], divided_up(n[2], parts), 1);  // each column is looked up in
        });
  });
  const compute_set_id set = g.add_compute_set("gather");
  g.add_vertices(set, {g.add_codelet(code),
                       p.first_tile,
                       p.row_parts * p.column_parts,
                       1,
                       {whole(rows.variable), whole(wanted.variable), whole(found)},
                       impl::first_rows(s, p)});
  step program = sequence(rows.bring, wanted.bring, execute(set));
  if (p.row_parts > 1) {
    const variable_id summed = g.add_temporary(name_from("gathered rows"), type, all,
                                               linear(all, algorithms::min(all, tiles_for(g, options)), options.first_tile));
    program.then(reduce(g, reduce_operation::sum, {1, p.row_parts, all}, found, summed, options));
    found = summed;
  }
  std::size_t at = 0;
  for (std::size_t c = 0; c < p.column_parts; ++c) {
    const std::size_t wide = part_size(s.width, p.column_parts, c);
    outwards.push_back({.from = {found, at, wide},
                        .to = {out, impl::part_begin(s.width, p.column_parts, c), s.width},
                        .length = wide,
                        .count = s.indices});
    at += s.indices * wide;
  }
  program.then(copy(std::move(outwards)));
  return program;
}

/// table[:, index[i]] += scale * in[i, :], in the order of i.
template <class = void>
inline step scatter_add(graph& g, const gather_shape& s, variable_id table, variable_id indices, variable_id in,
                        float scale, const plan_options& options = {}) {
  const impl::table_plan p = impl::plan_table(g, s, g[table].type(), options);
  const arranged rows = impl::table_on_tiles(g, s, p, table);
  const arranged wanted = impl::indices_everywhere(g, s, p, indices);
  light_vector<tile_block> blocks;
  light_vector<copy_piece> inwards;
  std::size_t at = 0;
  for (std::size_t c = 0; c < p.column_parts; ++c) {  // the same columns for every part of the rows
    const std::size_t wide = part_size(s.width, p.column_parts, c);
    inwards.push_back({.from = {.begin = impl::part_begin(s.width, p.column_parts, c), .step = s.width},
                       .to = {.begin = at, .step = wide},
                       .length = wide,
                       .count = s.indices,
                       .copies = p.row_parts,
                       .copy_step = s.indices * wide});
    for (std::size_t r = 0; r < p.row_parts; ++r) blocks.push_back({p.tile(r, c), s.indices * wide});
    at += s.indices * wide * p.row_parts;
  }
  const arranged added = arrange(g, in, "added rows", mapping_of(blocks), std::move(inwards));
  const element_type type = g[table].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("scatter add"), elementwise_code,
        [scale, n = s.indices](std::size_t first, inout<type_of> held, std::span<const std::int32_t> index,
                               std::span<const type_of> more) {
          const std::size_t wide = more.size() / n;
          const std::size_t high = held.size() / wide;
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t row = static_cast<std::size_t>(index[i]) - first;
            if (row >= high) continue;
            for (std::size_t c = 0; c < wide; ++c) {
              type_of& to = held[c * high + row];
              to = type_of{float{to} + scale * float{more[i * wide + c]}};
            }
          }
        },
        [type, parts = p.row_parts](const architecture& chip, lengths n) {
          return impl::scatter_cost(chip, type, n[2], divided_up(n[2], parts), 1);
        });
  });
  const compute_set_id set = g.add_compute_set("scatter add");
  g.add_vertices(set, {g.add_codelet(code),
                       p.first_tile,
                       p.row_parts * p.column_parts,
                       1,
                       {whole(rows.variable), whole(wanted.variable), whole(added.variable)},
                       impl::first_rows(s, p)});
  step program = sequence(rows.bring, wanted.bring, added.bring, execute(set));
  if (rows.variable.index != table.index) {
    program.then(copy_all(g, rows.variable, table));
  }
  return program;
}

}  // namespace ipuflow::ipu
