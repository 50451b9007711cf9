// SPDX-License-Identifier: BSL-1.0
// The parts of the rows of a value that each tile holds, whatever the mapping, and what it costs there to take a number of
// each row to its elements, or to make one of them. Sources: [PL popops] BroadcastVectorOuter, BroadcastVectorInner and
// the reduction of poplibs, whose cost estimates have a function for each.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/program/mapping.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu {

/// The row of each element of a value: runs of one row each, and after the last row the first one again. Samples of
/// rows have runs of a row; channels have runs of a plane; columns have runs of one element.
struct row_order {
  std::size_t run = 1;   ///< elements
  std::size_t rows = 1;
  matrix_order stored{};  ///< in which a value of whole rows is kept

  [[nodiscard]] constexpr std::size_t row_of(std::size_t element) const { return element / run % rows; }
  /// True if elements that follow each other are of rows that do.
  [[nodiscard]] constexpr bool by_columns() const { return run == 1; }

  friend constexpr bool operator==(const row_order&, const row_order&) = default;
};

/// Elements in one piece on a tile: of one row, or by columns of as many rows as elements. `slot` is the place of the
/// (first) row among the rows of that tile.
struct row_part {
  std::size_t begin = 0;
  std::uint32_t length = 0;
  std::uint32_t slot = 0;
};

/// The parts of one tile, in the order in which it holds them, and its rows as intervals, of which slots are the numbers.
struct tile_rows {
  std::size_t tile = 0;
  light_vector<row_part> parts{};
  light_vector<light_pair<std::size_t, std::size_t>> rows{};  // [first, one past the last), ascending
  std::size_t slots = 0;
  std::size_t elements = 0;
  std::size_t vectors = 0;  // of all parts, each in whole vectors
  std::size_t shares = 0;   // the same if workers share each part
  std::size_t longest = 0;  // vectors of a part
  bool aligned = true;      // parts are whole vectors
  bool alike = true;        // all parts are of the same rows
};

/// The rows of all tiles that hold a part of a value.
using rows_on_tiles = light_vector<tile_rows>;

namespace impl {

/// A part of elements from `begin`, as long as they stay in one row, or by columns do not begin again.
constexpr row_part part_from(const row_order& order, std::size_t begin, std::size_t end) {
  const std::size_t element = order.stored.index_of(begin), row = order.row_of(element);
  const std::size_t length = order.stored.together(element, order.by_columns() ? order.rows - row : order.run - element % order.run);
  return {begin, static_cast<std::uint32_t>(algorithms::min(length, end - begin)), static_cast<std::uint32_t>(row)};
}

/// The parts of an interval, to `parts`. Of a value in blocks a block's rows follow each other, so places are worked out once for each block.
template <class = void>
void add_parts(const row_order& order, std::size_t begin, std::size_t end, light_vector<row_part>& parts) {
  if (order.stored.is_plain() || order.run != order.stored.columns.count) {
    for (std::size_t e = begin; e < end; e += parts.back().length) parts.push_back(part_from(order, e, end));
    return;
  }
  for_each_block(order.stored, begin, end, [&](std::size_t first, std::size_t until, std::size_t) {
    const std::size_t element = order.stored.index_of(first), column = order.stored.columns.part_of(element % order.run), width = order.stored.columns.size(column);
    std::size_t row = order.row_of(element), left = order.stored.columns.begin(column + 1) - element % order.run;
    for (std::size_t e = first; e < until; left = width, row = row + 1 == order.rows ? 0 : row + 1) {
      parts.push_back({e, static_cast<std::uint32_t>(algorithms::min(left, until - e)), static_cast<std::uint32_t>(row)});
      e += parts.back().length;
    }
  });
}

/// Sorts the rows of a tile's parts, joins them, and turns the rows of parts into slots.
template <class = void>
void number_rows(tile_rows& t, const row_order& order) {
  auto& rows = t.rows;
  for (const row_part& p : t.parts) {
    const std::size_t end = p.slot + (order.by_columns() ? p.length : 1);
    if (!rows.empty() && rows.back().first <= p.slot && p.slot <= rows.back().second)
      rows.back().second = algorithms::max(rows.back().second, end);
    else
      rows.emplace_back(p.slot, end);
  }
  if (!algorithms::is_sorted(rows.begin(), rows.end())) algorithms::sort(rows.begin(), rows.end());
  std::size_t last = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].first <= rows[last].second)
      rows[last].second = algorithms::max(rows[last].second, rows[i].second);
    else
      rows[++last] = rows[i];
  }
  rows.resize(last + 1);
  light_vector<std::size_t> before;  // slots before each interval
  for (const auto& [first, end] : rows) {
    before.push_back(t.slots);
    t.slots += end - first;
  }
  for (row_part& p : t.parts) {
    const auto after = algorithms::upper_bound(rows.begin(), rows.end(), std::size_t{p.slot}, [](std::size_t row, const auto& r) { return row < r.first; });
    const auto number = static_cast<std::size_t>(after - rows.begin()) - 1;
    p.slot = static_cast<std::uint32_t>(before[number] + (p.slot - rows[number].first));
  }
}

}  // namespace impl

/// Finds the parts of rows in a value of that mapping, tile by tile.
template <class = void>
[[nodiscard]] shared<const rows_on_tiles> find_rows(const mapping& map, element_type type, const row_order& order, std::size_t workers) {
  const std::size_t width = vector_width(type);
  rows_on_tiles made;
  std::size_t first = static_cast<std::size_t>(-1), last = 0;
  for (const mapped_interval& i : map) {
    first = algorithms::min(first, i.tile);
    last = algorithms::max(last, i.tile);
  }
  light_vector<std::size_t> number(map.empty() ? 0 : last - first + 1, 0);
  for (const mapped_interval& i : map) number[i.tile - first] = 1;
  for (std::size_t t = 0; t < number.size(); ++t) {
    if (number[t] == 0) continue;
    number[t] = made.size();
    made.push_back({.tile = first + t});
  }
  for (const mapped_interval& i : map) {
    impl::add_parts(order, i.begin, i.end, made[number[i.tile - first]].parts);
  }
  for (tile_rows& t : made) {
    impl::number_rows(t, order);
    std::size_t length = 0, vectors = 0, share = 0;  // of parts that are as long as the last one
    for (const row_part& p : t.parts) {
      if (p.length != length) length = p.length, vectors = divided_up(length, width), share = divided_up(divided_up(length, workers), width);
      t.elements += p.length;
      t.vectors += vectors;
      t.shares += share;
      t.longest = algorithms::max(t.longest, vectors);
      t.aligned = t.aligned && p.length % width == 0;
      t.alike = t.alike && p.slot == t.parts[0].slot && p.length == t.parts[0].length;
    }
  }
  return shared<const rows_on_tiles>{std::move(made)};
}

namespace impl {

/// The rows that were found, each once: operations of a network ask for the same few again and again.
template <class = void>
class basic_found_rows {
 public:
  [[nodiscard]] const shared<const rows_on_tiles>& of(const mapping& map, element_type type, const row_order& order, std::size_t workers) {
    for (const found& f : all_) {
      if (f.type == type && f.order == order && f.map == map) return f.rows;
    }
    all_.push_back({map, type, order, find_rows(map, type, order, workers)});
    return all_.back().rows;
  }

 private:
  struct found {
    mapping map;
    element_type type;
    row_order order;
    shared<const rows_on_tiles> rows;
  };
  light_vector<found> all_;
};
using found_rows = basic_found_rows<>;

/// Workers have whole parts each, or share each of them, whichever is sooner done; a part costs `start` besides its vectors.
constexpr std::size_t shared_out(const architecture& chip, const tile_rows& t, std::size_t start, std::size_t vector) {
  const std::size_t apart = algorithms::max(start + vector * t.longest, divided_up(t.parts.size() * start + vector * t.vectors, chip.workers));
  return algorithms::min(apart, t.parts.size() * start + vector * t.shares);
}

}  // namespace impl

/// A sum, a difference or a product of each element with the number of its row [PL popops, BroadcastVectorOuterCycleEstimate:
/// 15 bundles, for each part 7, of parts that are no whole vectors 25, and 2 for each vector]. By columns each vector has
/// numbers of its own, which is a load more; if all parts are of the same columns, a vector of numbers stays for all
/// of them [PL popops, vectorInnerAddCoreCycles: 17 bundles or for halves 24, 8 for each vector of numbers, 2 of elements].
constexpr vertex_cost row_pass_cost(const architecture& chip, element_type type, const tile_rows& t, const row_order& order) {
  const std::size_t start = t.aligned ? 7 : 25;
  std::size_t bundles = 15 + impl::shared_out(chip, t, start, order.by_columns() ? 3 : 2);
  if (order.by_columns() && t.alike && t.aligned) {
    const std::size_t blocks = divided_up(t.parts.size(), chip.workers);
    bundles = algorithms::min(bundles, (type == element_type::f16 ? 24 : 17) + t.longest * (8 + 2 * blocks));
  }
  return {bundles, chip.supervisor_launch.value, true, t.elements};
}

/// A number of each row from its elements on a tile. A worker adds vectors of twice the width, then the lanes of one; if
/// workers share a part, the lanes of all of them [PL, getReduceCycleEstimate, whose loops `reduce_cost` has]. By columns lanes
/// stay apart.
constexpr vertex_cost row_reduce_cost(const architecture& chip, element_type type, const tile_rows& t, const row_order& order) {
  const std::size_t lanes = 2 * vector_width(type);
  const std::size_t loop = type == element_type::f16 ? 10 : 8;
  const std::size_t parts = t.parts.size();
  if (order.by_columns()) return {20 + impl::shared_out(chip, t, loop, 2), 33, true, t.elements};
  const std::size_t own = 2 * loop + 2 * lanes;  // of a part that one worker has
  const std::size_t apart = algorithms::max(own + t.longest + 1, divided_up(parts * own + t.vectors + parts, chip.workers));
  const std::size_t shared = parts * (2 * loop + 2 * lanes * chip.workers) + t.shares + parts;
  return {20 + algorithms::min(apart, shared), 33, true, t.elements};
}

}  // namespace ipuflow::ipu
