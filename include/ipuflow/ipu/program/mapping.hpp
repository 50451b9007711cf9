// SPDX-License-Identifier: BSL-1.0
// The tile of every element of a variable: intervals in ascending order that cover it without gap or overlap. Made by
// a rule (linear, grid) or by hand, at compile time or at run time. Tiles are counted through all chips of a program.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>

#include <cstddef>
#include <initializer_list>

namespace ipuflow::ipu {

/// Elements [begin, end) live on `tile`.
struct mapped_interval {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t tile = 0;

  friend constexpr bool operator==(const mapped_interval&, const mapped_interval&) = default;
};

struct mapping : dynamic_array<mapped_interval> {
  constexpr mapping() = default;
  constexpr mapping(std::initializer_list<mapped_interval> intervals) {
    for (const mapped_interval& i : intervals) push_back(i);
  }
};

/// All on one tile.
template <class = void>
[[nodiscard]] constexpr mapping on_tile(std::size_t elements, std::size_t tile) { return {{0, elements, tile}}; }

/// Spread evenly over `tiles` tiles from `first`, in whole grains; the first tiles get one grain more where it does not
/// divide.
template <class = void>
[[nodiscard]] constexpr mapping linear(std::size_t elements, std::size_t tiles, std::size_t first = 0, std::size_t grain = 1) {
  mapping made;
  const std::size_t grains = grain == 0 ? 0 : divided_up(elements, grain);
  std::size_t begin = 0;
  for (std::size_t t = 0; t < tiles && begin < elements; ++t) {
    const std::size_t mine = (grains / tiles + (t < grains % tiles ? 1u : 0u)) * grain;
    const std::size_t end = begin + mine < elements ? begin + mine : elements;
    if (end > begin) made.push_back({begin, end, first + t});
    begin = end;
  }
  return made;
}

/// A matrix of `rows` x `columns` cut into a grid of blocks, block (i, j) on tile first + i * grid_columns + j. A tile
/// holds the rows of its block one after the other.
template <class = void>
[[nodiscard]] constexpr mapping grid(std::size_t rows, std::size_t columns, std::size_t grid_rows, std::size_t grid_columns,
                                     std::size_t first = 0) {
  mapping made;
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t i = r * grid_rows / rows;
    while (i + 1 < grid_rows && r >= (i + 1) * rows / grid_rows) ++i;
    for (std::size_t j = 0; j < grid_columns; ++j) {
      const std::size_t begin = j * columns / grid_columns;
      const std::size_t end = (j + 1) * columns / grid_columns;
      if (end > begin) made.push_back({r * columns + begin, r * columns + end, first + i * grid_columns + j});
    }
  }
  return made;
}

enum class mapping_wrong : unsigned char { nothing, gap, overlap, empty_interval, short_of_end, no_such_tile };
using mapping_fault = fault<mapping_wrong, std::size_t>;

/// `where` is the interval's number.
template <class = void>
constexpr const char* wording(mapping_wrong wrong) {
  switch (wrong) {
    case mapping_wrong::nothing:
      break;
    case mapping_wrong::gap:
      return "ipuflow: interval {where} of a mapping begins at element {got} but the one before ends at {limit}; map every element";
    case mapping_wrong::overlap:
      return "ipuflow: interval {where} of a mapping begins at element {got}, inside the one before, which ends at {limit}; map every element once";
    case mapping_wrong::empty_interval:
      return "ipuflow: interval {where} of a mapping holds no element; leave it out";
    case mapping_wrong::short_of_end:
      return "ipuflow: a mapping covers {got} element{s} of a variable of {limit}; map them all";
    case mapping_wrong::no_such_tile:
      return "ipuflow: interval {where} of a mapping is on tile {got} of {limit}; use tiles below that";
  }
  return "";
}

constexpr message_text sentence(const mapping_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

/// The first interval that is not as it should be.
template <class = void>
constexpr mapping_fault verify(const mapping& map, std::size_t elements, std::size_t tiles) {
  using wrong = mapping_wrong;
  std::size_t end = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i].begin > end) return {wrong::gap, map[i].begin, end, i};
    if (map[i].begin < end) return {wrong::overlap, map[i].begin, end, i};
    if (map[i].end <= map[i].begin) return {wrong::empty_interval, 0, 1, i};
    if (map[i].tile >= tiles) return {wrong::no_such_tile, map[i].tile, tiles, i};
    end = map[i].end;
  }
  if (end != elements) return {wrong::short_of_end, end, elements, map.size()};
  return {};
}

namespace impl {

/// Elements on each tile.
template <class = void>
[[nodiscard]] constexpr dynamic_array<std::size_t> elements_on(const mapping& map, std::size_t tiles) {
  dynamic_array<std::size_t> count(tiles, 0);
  for (const mapped_interval& i : map) count[i.tile] += i.end - i.begin;
  return count;
}

}  // namespace impl

}  // namespace ipuflow::ipu
