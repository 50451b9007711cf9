// SPDX-License-Identifier: BSL-1.0
// Shared parts of operations: the options of planning, vertices on every tile of a variable, and bringing a variable
// into the layout that an operation needs, at no cost if it has that layout already.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/cost/copies.hpp>
#include <ipuflow/ipu/program/graph.hpp>
#include <ipuflow/ipu/program/plan_options.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::ipu {

template <class = void>
inline std::size_t tiles_for(const graph& g, const plan_options& options) {
  return options.tiles != 0 ? options.tiles : g.chip().tiles - options.first_tile % g.chip().tiles;
}

template <class = void>
inline bytes memory_for(const graph& g, const plan_options& options) {
  return proportion_of(g.chip().tile_memory, options.memory_proportion);
}

/// A part of a variable that one tile gets in one piece.
struct tile_block {
  std::size_t tile = 0;
  std::size_t elements = 0;
};

/// Blocks one after the other.
template <class = void>
inline mapping mapping_of(const light_vector<tile_block>& blocks) {
  mapping made;
  std::size_t at = 0;
  for (const tile_block& b : blocks) {
    if (b.elements > 0) made.push_back({at, at + b.elements, b.tile});
    at += b.elements;
  }
  return made;
}

/// The variable where an operation finds its operand, and what must run before.
struct arranged {
  variable_id variable;
  step bring;
};

namespace impl {

/// True if a copy would move nothing: every word is where it should go.
template <class = void>
inline bool moves_nothing(const graph& g, const copy& copied, variable_id from, variable_id to) {
  if (g[from].elements() != g[to].elements() || g[from].tiles().size() != g[to].tiles().size()) return false;
  for (const auto& [tile, held] : g[from].tiles()) {
    if (g[to].held(tile) != held) return false;
  }
  bool still = true;
  for_each_fragment(g, copied, [&](const fragment& f) {
    still =
        still && f.targets.size() == 1 && f.targets[0].tile == f.source.tile && f.targets[0].local == f.source.local;
  });
  return still;
}

}  // namespace impl

/// The copy of `pieces` that have no variables yet.
template <class = void>
inline copy deliver(light_vector<copy_piece> pieces, variable_id from, variable_id to) {
  for (copy_piece& p : pieces) {
    p.from.variable = from;
    p.to.variable = to;
  }
  return {std::move(pieces)};
}

/// `from` in another layout: `pieces` say where its elements go in a temporary of that mapping.
template <class = void>
inline arranged arrange(graph& g, variable_id from, std::string_view name, mapping map,
                        light_vector<copy_piece> pieces) {
  const std::size_t elements = map.empty() ? 0 : map.back().end;
  const variable_id to = g.add_temporary(name_from(name), g[from].type(), elements, std::move(map));
  copy bring = deliver(std::move(pieces), from, to);
  if (impl::moves_nothing(g, bring, from, to)) return {from, sequence()};
  return {to, std::move(bring)};
}

/// `from` mapped like `like`, element by element.
template <class = void>
inline arranged arrange_like(graph& g, variable_id from, variable_id like) {
  if (g[from].map() == g[like].map()) return {from, sequence()};
  return arrange(g, from, g[from].name().view(), g[like].map(), {{.length = g[from].elements()}});
}

/// All of `from`, in its order, to `to`, for a copy of several.
template <class = void>
[[nodiscard]] inline copy_piece whole_piece(const graph& g, variable_id from, variable_id to) {
  return {.from = {from}, .to = {to}, .length = g[from].elements()};
}

/// The same as a step: a layout change.
template <class = void>
inline step copy_all(const graph& g, variable_id from, variable_id to) {
  return copy({whole_piece(g, from, to)});
}

/// One vertex on every tile that holds `on`, with operands that are whole on their tile.
template <class = void>
inline void add_on_each_tile(graph& g, compute_set_id set, std::size_t codelet, variable_id on,
                             const light_vector<operand>& operands) {
  light_vector<std::size_t> tiles;
  for (const auto& [tile, held] : g[on].tiles()) tiles.push_back(tile);
  algorithms::sort(tiles.begin(), tiles.end());
  for (std::size_t i = 0; i < tiles.size();) {
    std::size_t end = i + 1;
    while (end < tiles.size() && tiles[end] == tiles[end - 1] + 1) ++end;
    g.add_vertices(set, {codelet, tiles[i], end - i, 1, operands});
    i = end;
  }
}

/// A vertex with its field.
template <class Field>
struct tile_vertex {
  std::size_t tile = 0;
  Field field{};
};

/// One vertex on each tile of `vertices`, each with its field; tiles that follow each other become one group.
template <class Field>
void add_on_tiles(graph& g, compute_set_id set, codelet code, light_vector<tile_vertex<Field>> vertices,
                  const light_vector<operand>& operands) {
  using vertex = tile_vertex<Field>;
  const std::size_t number = g.add_codelet(std::move(code));
  algorithms::sort(vertices.begin(), vertices.end(), [](const vertex& a, const vertex& b) { return a.tile < b.tile; });
  for (std::size_t i = 0; i < vertices.size();) {
    const std::size_t first = vertices[i].tile;
    light_vector<Field> fields;
    for (; i < vertices.size() && vertices[i].tile == first + fields.size(); ++i) fields.push_back(vertices[i].field);
    g.add_vertices(set, {number, first, fields.size(), 1, operands, fields});
  }
}

/// A compute set of one such vertex a tile.
template <class = void>
inline step on_each_tile(graph& g, std::string_view name, codelet code, variable_id on,
                         const light_vector<operand>& operands) {
  const compute_set_id set = g.add_compute_set(name);
  add_on_each_tile(g, set, g.add_codelet(std::move(code)), on, operands);
  return execute(set);
}

}  // namespace ipuflow::ipu
