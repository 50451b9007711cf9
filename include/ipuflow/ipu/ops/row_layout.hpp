// SPDX-License-Identifier: BSL-1.0
// The choice where an operation on rows works: where its value stands, or on whole rows, each brought to one tile. One rule: the
// fewer estimated cycles, of passes and sums on the busiest tile, of numbers that go to and fro between tiles, and of
// the values that are moved.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/ops/row_work.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::ipu {

/// The work of an operation on the rows of a value.
struct row_effort {
  std::size_t passes = 0;      ///< over its elements
  std::size_t reductions = 0;  ///< of its elements to numbers of rows
  std::size_t rounds = 0;      ///< in which numbers are put together and go back
  std::size_t each = 1;        ///< numbers of a row in a round
  std::size_t moved = 0;       ///< values of this size that must be brought, or taken back, if whole rows go to a tile
};

namespace impl {

template <class = void>
[[nodiscard]] cycles time_on_tiles(const architecture& chip, element_type type, const row_work& work, const row_effort& effort) {
  std::uint64_t longest = 0;
  for (const tile_rows& t : work.tiles()) {
    const std::uint64_t pass = alone(row_pass_cost(chip, type, t, work.order()), chip).value;
    longest = algorithms::max(longest, effort.passes * pass + effort.reductions * alone(row_reduce_cost(chip, type, t, work.order()), chip).value);
  }
  return {longest + effort.rounds * work.round(effort.each).value};
}

/// An exchange in which every tile gets its part.
template <class = void>
[[nodiscard]] cycles time_to_move(const architecture& chip, element_type type, const row_work& to) {
  std::size_t most = 0;
  for (const tile_rows& t : to.tiles()) most = algorithms::max(most, t.elements);
  return chip.sync + chip.exchange_latency + cycles{divided_up(most * size_of(type), chip.exchange_width)};
}

}  // namespace impl

/// A value where the work on its rows is done.
struct row_place {
  row_work work;
  mapping map{};
};

/// Decides for values like `x`. Rows that are not in one piece stay where they are, and so do panels.
template <class = void>
[[nodiscard]] row_place place_row_work(graph& g, variable_id x, const row_order& order, const row_effort& effort, const plan_options& where) {
  const element_type type = g[x].type();
  row_place standing{{g, g[x].map(), type, order, where}, g[x].map()};
  const std::size_t elements = g[x].elements();
  if (!order.stored.is_plain() || standing.work.holders() <= 1 || order.run * order.rows != elements) return standing;
  mapping whole_map = linear(elements, algorithms::min(order.rows, tiles_for(g, where)), where.first_tile, order.run);
  row_place whole_rows{{g, whole_map, type, order, where}, std::move(whole_map)};
  const cycles moves = impl::time_to_move(g.chip(), type, whole_rows.work) * effort.moved;
  const bool sooner = impl::time_on_tiles(g.chip(), type, whole_rows.work, effort) + moves < impl::time_on_tiles(g.chip(), type, standing.work, effort);
  return sooner ? whole_rows : standing;
}

/// Room for a value like `like` in that mapping: itself, if it has it.
template <class = void>
[[nodiscard]] variable_id room_in(graph& g, std::string_view name, variable_id like, const mapping& map) {
  return g[like].map() == map ? like : g.add_temporary(name_from(name), g[like].type(), g[like].elements(), map);
}

/// A value in that mapping.
template <class = void>
[[nodiscard]] arranged bring_to(graph& g, variable_id x, const mapping& map) {
  if (g[x].map() == map) return {x, sequence()};
  return arrange(g, x, g[x].name().view(), map, {{.length = g[x].elements()}});
}

}  // namespace ipuflow::ipu
