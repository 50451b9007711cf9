// SPDX-License-Identifier: BSL-1.0
// The order in which a matrix is stored: cut into blocks, each row after row, so that what a tile multiplies lies in one piece. A
// value has panels of sixteen columns, so that every cut of its columns is a run; weights have the very blocks of their product.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// A dimension cut into parts that are as equal as whole grains allow. There are no more parts than grains.
struct dimension_cut {
  std::size_t count = 0;
  std::size_t parts = 1;
  std::size_t grain = 1;

  constexpr std::size_t grains() const { return divided_up(count, grain); }
  constexpr std::size_t begin(std::size_t part) const { return algorithms::min(count, part * grains() / parts * grain); }
  constexpr std::size_t size(std::size_t part) const { return begin(part + 1) - begin(part); }
  /// Elements that no part has more than.
  constexpr std::size_t most() const { return algorithms::min(count, divided_up(grains(), parts) * grain); }
  /// The part that element `i` is in.
  constexpr std::size_t part_of(std::size_t i) const { return ((i / grain + 1) * parts - 1) / grains(); }

  friend constexpr bool operator==(const dimension_cut&, const dimension_cut&) = default;
};

/// Blocks of the first part of the rows stand before those of the second; within a part, those of the first columns before the next.
struct matrix_order {
  dimension_cut rows{};  ///< none, or no columns: row after row, as the index counts
  dimension_cut columns{};

  constexpr bool is_plain() const { return elements() == 0; }
  constexpr std::size_t elements() const { return rows.count * columns.count; }

  /// The place where block (i, j) begins.
  constexpr std::size_t block(std::size_t i, std::size_t j) const {
    return rows.begin(i) * columns.count + rows.size(i) * columns.begin(j);
  }
  /// The place of element `index`, counted row by row.
  constexpr std::size_t place(std::size_t index) const {
    if (is_plain()) return index;
    const std::size_t row = index / columns.count, column = index % columns.count;
    const std::size_t i = rows.part_of(row), j = columns.part_of(column);
    return block(i, j) + (row - rows.begin(i)) * columns.size(j) + (column - columns.begin(j));
  }
  /// The index of what is stored at `place`.
  constexpr std::size_t index_of(std::size_t place) const {
    if (is_plain()) return place;
    const std::size_t i = rows.part_of(place / columns.count), height = rows.size(i);
    const std::size_t j = columns.part_of((place - block(i, 0)) / height), width = columns.size(j);
    const std::size_t in_block = place - block(i, j);
    return (rows.begin(i) + in_block / width) * columns.count + columns.begin(j) + in_block % width;
  }
  /// Elements from `index` on that follow each other in both orders, at most `most`.
  constexpr std::size_t together(std::size_t index, std::size_t most) const {
    if (is_plain()) return most;
    const std::size_t column = index % columns.count;
    return algorithms::min(most, columns.begin(columns.part_of(column) + 1) - column);
  }
  /// Rows of a block from `index` on, if that is the first of `width` elements that a row of the block has; or none.
  constexpr std::size_t whole_rows(std::size_t index, std::size_t width) const {
    if (is_plain()) return 0;
    const std::size_t row = index / columns.count, column = index % columns.count, j = columns.part_of(column);
    if (columns.begin(j) != column || columns.size(j) != width) return 0;
    return rows.begin(rows.part_of(row) + 1) - row;
  }

  friend constexpr bool operator==(const matrix_order&, const matrix_order&) = default;
};

/// Columns of a panel: what the array takes at once.
inline constexpr std::size_t panel_columns = 16;

namespace impl {

/// Nothing at all is one part, too, as sizes are divided by parts.
constexpr std::size_t at_least_one(std::size_t parts) { return algorithms::max<std::size_t>(1, parts); }

}  // namespace impl

/// The order of a value whose rows are cut in parts and whose columns stand in panels.
constexpr matrix_order in_panels(std::size_t rows, std::size_t columns, std::size_t row_parts) {
  return {{rows, impl::at_least_one(row_parts)},
          {columns, impl::at_least_one(divided_up(columns, panel_columns)), panel_columns}};
}
/// The order of a matrix that is stored column after column.
constexpr matrix_order by_columns(std::size_t rows, std::size_t columns) {
  return {{rows}, {columns, impl::at_least_one(columns)}};
}

/// Calls `visit(begin, end, j)` for each block that what is stored at [begin, end) touches, in its order; j: its part of the columns.
template <class Visit>
constexpr void for_each_block(const matrix_order& o, std::size_t begin, std::size_t end, Visit&& visit) {
  while (begin < end) {
    const std::size_t index = o.index_of(begin);
    const std::size_t i = o.rows.part_of(index / o.columns.count), j = o.columns.part_of(index % o.columns.count);
    const std::size_t until = algorithms::min(end, o.block(i, j) + o.rows.size(i) * o.columns.size(j));
    visit(begin, until, j);
    begin = until;
  }
}

}  // namespace ipuflow::ipu
