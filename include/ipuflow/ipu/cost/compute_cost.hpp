// SPDX-License-Identifier: BSL-1.0
// The time of each tile in a compute set. Groups of equal vertices cost the same on each of their tiles, so the result
// is a few ranges of tiles.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// `count` tiles from `first`, each busy for the same time.
struct tile_range {
  std::size_t first = 0;
  std::size_t count = 0;
  cycles busy;
  cycles issued;
  std::uint64_t flops = 0;     // of one tile
  std::uint64_t vertices = 0;  // on one tile
};

/// Equal vertices on a range of tiles, with what one of them costs.
struct costed_group {
  std::size_t codelet = 0;
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t per_tile = 1;
  vertex_cost cost;
};

/// Elements of an operand for the vertices on one tile.
template <class = void>
[[nodiscard]] inline std::size_t length_on(const graph& g, const operand& o, std::size_t tile) {
  return o.whole ? g[o.variable].held(tile) : o.length;
}

/// The groups of a compute set, cut where a vertex costs something else than the one before.
template <class = void>
[[nodiscard]] inline light_vector<costed_group> costed(const graph& g, const compute_set& set) {
  light_vector<costed_group> made;
  light_vector<std::size_t> n;
  light_vector<std::size_t> before;
  for (const vertex_group& group : set.groups) {
    const bool varies =
        algorithms::any_of(group.operands.begin(), group.operands.end(), [](const operand& o) { return o.whole; });
    const codelet& code = g.codelets()[group.codelet];
    const std::size_t alike = code.cost_varies() ? 1 : group.per_tile;  // vertices of a tile that cost the same
    const std::size_t step = varies || code.cost_varies() ? 1 : group.tiles;
    for (std::size_t t = 0; t < group.tiles; t += step) {
      n.clear();
      for (const operand& o : group.operands) n.push_back(length_on(g, o, group.first_tile + t));
      const std::size_t first = t * group.per_tile;
      if (t > 0 && alike == group.per_tile && n == before && (!code.cost_varies() || group.fields.repeats(first))) {
        ++made.back().count;
        continue;
      }
      before = n;
      for (std::size_t v = 0; v < group.per_tile; v += alike) {
        const vertex_cost cost = code.cost(g.chip(), n, group.fields.of(first + v));
        if (t > 0 && group.per_tile == 1 && cost == made.back().cost)
          ++made.back().count;
        else
          made.push_back({group.codelet, group.first_tile + t, step, alike, cost});
      }
    }
  }
  return made;
}

/// Ranges of tiles in ascending order, without overlap; tiles without vertices are left out.
template <class = void>
[[nodiscard]] inline light_vector<tile_range> tile_costs(const graph& g, const light_vector<costed_group>& groups) {
  light_vector<std::size_t> order(groups.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  algorithms::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return groups[a].first != groups[b].first ? groups[a].first < groups[b].first : a < b;
  });
  light_vector<tile_range> made;
  light_vector<std::size_t> here;  // groups on the tiles from `tile`
  std::size_t next = 0;
  for (std::size_t tile = 0; next < order.size() || !here.empty();) {
    erase_if(here, [&](std::size_t i) { return groups[i].first + groups[i].count <= tile; });
    if (here.empty()) {
      if (next == order.size()) break;
      tile = algorithms::max(tile, groups[order[next]].first);
    }
    for (; next < order.size() && groups[order[next]].first <= tile; ++next) here.push_back(order[next]);
    std::size_t end = next < order.size() ? groups[order[next]].first : static_cast<std::size_t>(-1);
    tile_load load(g.chip());
    tile_range range{tile, 0, {}, {}, 0, 0};
    for (const std::size_t i : here) {
      end = algorithms::min(end, groups[i].first + groups[i].count);
      for (std::size_t v = 0; v < groups[i].per_tile; ++v) load.add(groups[i].cost);
      range.flops += groups[i].cost.flops * groups[i].per_tile;
      range.vertices += groups[i].per_tile;
    }
    range.count = end - tile;
    range.busy = load.busy();
    range.issued = load.issued();
    made.push_back(range);
    tile = end;
  }
  return made;
}

}  // namespace impl

}  // namespace ipuflow::ipu
