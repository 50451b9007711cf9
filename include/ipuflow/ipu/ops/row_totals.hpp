// SPDX-License-Identifier: BSL-1.0
// Numbers of rows, from tiles to totals: each tile has a partial number of each row that it holds a part of; those of a row are
// brought to one tile, in parts to several if that is sooner done, and put together there. Rows that are whole on their tiles
// need none of it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/ops/row_codelets.hpp>
#include <ipuflow/ipu/ops/row_parts.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ipuflow::ipu {

/// `each` numbers of every row: on each tile those of the rows that it holds parts of, or `once`, in the order of rows.
struct row_numbers {
  variable_id variable{};
  std::size_t each = 1;
  bool once = false;
};

/// The rows of values of one mapping, and totals of their numbers.
template <class = void>
class basic_row_totals {
 public:
  /// For values of that mapping and type.
  basic_row_totals(graph& g, const mapping& map, element_type type, const row_order& order, const plan_options& where = {})
      : g_{&g}, order_{order}, where_{where}, tiles_{g.known<impl::found_rows>().of(map, type, order, g.chip().workers)} {
    light_vector<std::uint32_t> change(order.rows + 1, 0);
    std::size_t slots = 0;
    for (const tile_rows& t : *tiles_) {
      first_slot_.push_back(slots);
      slots += t.slots;
      for (const auto& [first, end] : t.rows) {
        ++change[first];
        --change[end];
      }
    }
    std::uint32_t holders = 0;
    for (std::size_t r = 0; r < order.rows; ++r) holders_ = algorithms::max<std::size_t>(holders_, holders += change[r]);
  }

  [[nodiscard]] const rows_on_tiles& tiles() const { return *tiles_; }
  [[nodiscard]] const shared<const rows_on_tiles>& shared_tiles() const { return tiles_; }
  [[nodiscard]] const row_order& order() const { return order_; }
  /// Most tiles that hold parts of one row.
  [[nodiscard]] std::size_t holders() const { return holders_; }

  /// Cycles in which `each` numbers of every row are put together and go back to their tiles, with the synchronisations.
  [[nodiscard]] cycles round(std::size_t each) const {
    if (holders_ <= 1) return {};
    std::size_t most = 0;
    for (const tile_rows& t : *tiles_) most = algorithms::max(most, t.slots);
    return {plan_totals(each).time + g_->chip().sync.value + g_->chip().exchange_latency.value + most * each};
  }

  /// Room for numbers of the rows on each tile.
  [[nodiscard]] row_numbers room(std::string_view name, std::size_t each = 1, element_type type = element_type::f32) const {
    light_vector<tile_block> blocks;
    std::size_t all = 0;
    for (const tile_rows& t : *tiles_) {
      blocks.push_back({t.tile, t.slots * each});
      all += t.slots * each;
    }
    return {g_->add_temporary(name_from(name), type, all, mapping_of(blocks)), each};
  }

  /// The scale for numbers of rows on tiles if those of all are to be scaled: none, if something comes after.
  [[nodiscard]] float partial_scale(float scale) const { return holders_ > 1 ? 1 : scale; }
  /// Numbers of the rows on each tile put together, times `scale`.
  [[nodiscard]] row_numbers totals(step& program, row_reduction op, const row_numbers& partials, float scale) const {
    if (holders_ <= 1) return partials;
    const totals_plan plan = plan_totals(partials.each);
    light_vector<std::size_t> first_row;  // of each owner
    const std::size_t groups = divided_up(order_.rows, plan.grain);
    for (std::size_t o = 0; o <= plan.owners; ++o)
      first_row.push_back(algorithms::min(order_.rows, impl::part_begin(groups, plan.owners, o) * plan.grain));
    light_vector<light_vector<gathered_run>> of_owner(plan.owners);
    gather(op, first_row, of_owner);
    light_vector<light_vector<gathered_run>> blocks(plan.owners * plan.parts);
    for (std::size_t o = 0; o < plan.owners; ++o) {
      std::size_t all = 0, before = 0;
      for (const gathered_run& r : of_owner[o]) all += r.run.rows;
      for (const gathered_run& r : of_owner[o]) {  // parts of equal size: tiles that are alike are placed in memory once
        blocks[o * plan.parts + before * plan.parts / all].push_back(r);
        before += r.run.rows;
      }
    }
    const bool whole_depth = plan.parts == 1;
    const row_numbers made = put_together(program, op, partials, blocks, first_row, plan.parts, whole_depth ? scale : 1);
    if (whole_depth) return made;
    light_vector<light_vector<gathered_run>> again(plan.owners);
    std::size_t at = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::size_t owner = b / plan.parts, rows = first_row[owner + 1] - first_row[owner];
      add_counts(op, blocks[b], rows, at, again[owner]);
      at += rows;
    }
    return put_together(program, op, made, again, first_row, 1, scale);
  }

 protected:
  /// Calls `visit(first slot of all tiles, first row, rows)` for each interval of rows of each tile.
  template <class Visit>
  void each_interval(Visit&& visit) const {
    for (std::size_t t = 0; t < tiles_->size(); ++t) {
      std::size_t slot = first_slot_[t];
      for (const auto& [first, end] : (*tiles_)[t].rows) {
        visit(slot, first, end - first);
        slot += end - first;
      }
    }
  }

  graph* g_;
  row_order order_;
  plan_options where_;
  shared<const rows_on_tiles> tiles_;
  light_vector<std::size_t> first_slot_;  // of each tile, in a variable of numbers
  std::size_t holders_ = 0;

 private:
  /// The tiles that put numbers together: each has the rows of an owner, `parts` of them a share of the partial numbers each.
  struct totals_plan {
    std::size_t grain = 1;   // rows that stay together
    std::size_t owners = 1;
    std::size_t parts = 1;
    std::uint64_t time = static_cast<std::uint64_t>(-1);
  };

  /// As few parts as are soonest done: a second stage costs an exchange.
  totals_plan plan_totals(std::size_t each) const {
    const architecture& chip = g_->chip();
    const std::size_t tiles = tiles_for(*g_, where_);
    totals_plan best{.grain = order_.by_columns() ? std::size_t{8} : std::size_t{1}};
    const std::size_t groups = divided_up(order_.rows, best.grain);
    for (std::size_t parts = 1; parts <= algorithms::min(holders_, tiles); parts *= 2) {
      const std::size_t owners = algorithms::min(groups, tiles / parts);
      const std::size_t numbers = divided_up(groups, owners) * best.grain * each;
      const auto stage = [&](std::size_t depth) {
        return chip.sync.value + chip.exchange_latency.value + numbers * depth + alone(reduce_cost(chip, element_type::f32, depth, numbers), chip).value;
      };
      const std::uint64_t time = stage(divided_up(holders_, parts)) + (parts > 1 ? stage(parts) : 0);
      if (time >= best.time) continue;
      best.time = time;
      best.owners = owners;
      best.parts = parts;
    }
    return best;
  }

  /// A run of partial numbers and where they belong: the rows of an owner from `row` on.
  struct gathered_run {
    std::size_t from = 0;  // number of the first row there
    impl::total_run run{};
  };

  /// The partial numbers of each owner's rows, tile by tile.
  void gather(row_reduction op, const light_vector<std::size_t>& first_row, light_vector<light_vector<gathered_run>>& of_owner) const {
    light_vector<std::uint32_t> counts;
    for (std::size_t t = 0; t < tiles_->size(); ++t) {
      const tile_rows& here = (*tiles_)[t];
      counts.assign(here.slots, op == row_reduction::moments ? 0 : 1);
      for (const row_part& p : here.parts) {
        for (std::size_t i = 0; op == row_reduction::moments && i < (order_.by_columns() ? p.length : 1); ++i)
          counts[p.slot + i] += order_.by_columns() ? 1 : p.length;
      }
      std::size_t slot = 0;
      for (const auto& [first, end] : here.rows) {
        auto owner = static_cast<std::size_t>(algorithms::upper_bound(first_row.begin(), first_row.end(), first) - first_row.begin()) - 1;
        for (std::size_t row = first; row < end;) {
          while (first_row[owner + 1] <= row) ++owner;
          std::size_t length = 1;
          while (row + length < algorithms::min(end, first_row[owner + 1]) && counts[slot + length] == counts[slot]) ++length;
          const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
          of_owner[owner].push_back({first_slot_[t] + slot, {number(row - first_row[owner]), number(length), counts[slot]}});
          row += length;
          slot += length;
        }
      }
    }
  }

  /// The numbers that a block has put together, as runs for the next stage.
  static void add_counts(row_reduction op, const light_vector<gathered_run>& block, std::size_t rows, std::size_t at, light_vector<gathered_run>& to) {
    light_vector<std::uint32_t> counts(rows, op == row_reduction::moments ? 0 : 1);
    for (const gathered_run& g : block) {
      for (std::size_t i = 0; op == row_reduction::moments && i < g.run.rows; ++i) counts[g.run.row + i] += g.run.count;
    }
    for (std::size_t row = 0; row < rows;) {
      std::size_t length = 1;
      while (row + length < rows && counts[row + length] == counts[row]) ++length;
      to.push_back({at + row, {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(length), counts[row]}});
      row += length;
    }
  }

  /// Brings the runs of each block to a tile, and puts them together there; blocks stand evenly over the tiles.
  row_numbers put_together(step& program, row_reduction op, const row_numbers& from, const light_vector<light_vector<gathered_run>>& blocks,
                           const light_vector<std::size_t>& first_row, std::size_t parts, float scale) const {
    const std::size_t each = from.each, tiles = tiles_for(*g_, where_);
    light_vector<tile_block> in, out;
    light_vector<copy_piece> pieces;
    light_vector<tile_vertex<std::uint32_t>> vertices;
    light_vector<light_vector<impl::total_run>> runs;
    std::size_t at = 0, made = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::size_t tile = where_.first_tile + b * tiles / blocks.size(), owner = b / parts;
      const std::size_t before = at;
      runs.emplace_back();
      for (const gathered_run& r : blocks[b]) {
        pieces.push_back({.from = {.begin = r.from * each}, .to = {.begin = at}, .length = r.run.rows * each});
        at += r.run.rows * each;
        runs.back().push_back(r.run);
      }
      in.push_back({tile, at - before});
      out.push_back({tile, (first_row[owner + 1] - first_row[owner]) * each});
      made += out.back().elements;
      vertices.push_back({tile, static_cast<std::uint32_t>(b)});
    }
    arranged gathered = arrange(*g_, from.variable, "gathered", mapping_of(in), std::move(pieces));
    const variable_id sums = g_->add_temporary(name_from("row totals"), element_type::f32, made, mapping_of(out));
    const compute_set_id set = g_->add_compute_set("row totals");
    add_on_tiles(*g_, set, impl::row_totals_codelet(shared{std::move(runs)}, op, each, scale), std::move(vertices), {whole(gathered.variable), whole(sums)});
    program.then(std::move(gathered.bring));
    program.then(execute(set));
    return {sums, each, true};
  }
};
using row_totals = basic_row_totals<>;

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template class basic_row_totals<>;
#endif

}  // namespace ipuflow::ipu
