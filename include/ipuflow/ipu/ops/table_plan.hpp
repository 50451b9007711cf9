// SPDX-License-Identifier: BSL-1.0
// The cut of a table in which rows are looked up: blocks of rows and columns, one for each tile.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// The sizes of a look-up of rows of a table.
struct gather_shape {
  std::size_t rows = 0;     ///< of the table
  std::size_t width = 0;    ///< numbers of a row
  std::size_t indices = 0;  ///< rows that are looked up
  bool by_columns = false;  ///< stored column after column, as a product may read it, too
};

/// The blocks of a table: tile (r, c) holds rows of part r, columns of part c, which are one interval of what is stored.
struct table_plan {
  dimension_cut rows, columns;
  std::size_t first_tile;
  bool by_columns;

  constexpr std::size_t tiles() const { return rows.parts * columns.parts; }
  constexpr std::size_t tile(std::size_t r, std::size_t c) const { return first_tile + r * columns.parts + c; }
  constexpr matrix_order order() const {
    return by_columns ? ipu::by_columns(rows.count, columns.count) : matrix_order{rows, columns};
  }
  /// Numbers on the fullest tile: of the table, of three more of its shape, as where it changes, and of rows looked up.
  constexpr std::size_t held_by_tile(std::size_t indices) const {
    const std::size_t blocks = (4 * rows.most() + indices) * columns.most();
    return rows.parts == 1 ? blocks : blocks + divided_up(indices * columns.count * (rows.parts + 1), tiles());
  }
};

/// The cut of which the fullest tile holds least; columns in pairs, since halves travel as whole words. A table by columns has
/// whole columns on a tile or parts of one: a tile's part of it is one interval either way.
constexpr table_plan plan_table(const gather_shape& s, std::size_t tiles, std::size_t first_tile = 0) {
  const std::size_t grain = s.by_columns ? 1 : 2;
  table_plan best{};
  std::size_t least = 0;
  for (std::size_t parts = 1; parts <= algorithms::min(s.rows, tiles); ++parts) {
    const dimension_cut columns{s.width, algorithms::min(tiles / parts, divided_up(s.width, grain)), grain};
    const table_plan made{{s.rows, parts}, columns, first_tile, s.by_columns};
    if (s.by_columns && parts > 1 && made.columns.parts < s.width) break;
    const std::size_t held = made.held_by_tile(s.indices);
    if (parts == 1 || held < least) best = made, least = held;
  }
  return best;
}

}  // namespace ipuflow::ipu
