// SPDX-License-Identifier: BSL-1.0
// The most that the products of a stage hold, which have the same parts of rows: those of the cuts with the fewest cycles for all of
// them together, which a search finds as the planner does, in few steps. Where none fits all products, any cut that fits some is bounded.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/bounds/cut_bound.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

/// The most of a product on a tile: bytes that its passes need, and elements of what stays.
struct product_bound {
  operation_bound passes{};
  std::uint64_t weights = 0;  ///< elements
  std::uint64_t made = 0;     ///< elements of its result, where it is made
  std::uint64_t slopes = 0;   ///< elements of the gradient of what it reads, likewise
  std::uint64_t turns = 1;    ///< of the rows
  std::uint64_t panel = 0;    ///< pieces in which tiles have a panel of its result

  constexpr void raise(const product_bound& other) {
    passes = {algorithms::max(passes.temporary, other.passes.temporary), algorithms::max(passes.pieces, other.passes.pieces)};
    weights = algorithms::max(weights, other.weights), made = algorithms::max(made, other.made), slopes = algorithms::max(slopes, other.slopes);
    turns = algorithms::max(turns, other.turns), panel = algorithms::max(panel, other.panel);
  }
  friend constexpr bool operator==(const product_bound&, const product_bound&) = default;
};

/// One product of a stage.
struct bounded_product {
  product_sizes sizes{};
  product_use use{};

  friend constexpr bool operator==(const bounded_product&, const bounded_product&) = default;
};

/// The products of a stage, with the same rows, and what their tiles have.
struct product_question {
  architecture chip = mk2;
  std::size_t samples = 1;
  bytes memory{};  ///< that a pass may take

  friend constexpr bool operator==(const product_question&, const product_question&) = default;
};

namespace impl {

inline constexpr std::size_t rows_end = 65;  // there are at most 64 parts of the rows

/// The cuts of a product in at most some turns.
template <class = void>
class basic_known_product {
 public:
  constexpr basic_known_product() = default;
  constexpr basic_known_product(const product_question& q, const bounded_product& of) : question_{q}, product_{of}, by_rows_(rows_end) {
    const cut_times times(question_.chip, product_.sizes.type);
    inputs_ = sides(times, product_.sizes.inputs), outputs_ = sides(times, product_.sizes.outputs);
    for (std::size_t rows = 1, last = 1; rows < rows_end; rows = last + 1) {
      for (last = rows; last + 1 < rows_end && largest(last + 1) == largest(rows);) ++last;
      const double least = bound(times, rows, last, 1);
      for (std::size_t r = rows; r <= last; ++r) by_rows_[r].time = may_have(r) ? least : does_not_fit;
    }
  }
  /// The same in up to twice as many turns.
  [[nodiscard]] constexpr basic_known_product in_twice_the_turns() const {
    basic_known_product made = *this;
    made.most_turns_ *= 2;
    const cut_times times(question_.chip, product_.sizes.type);
    for (std::size_t r = 1; r < rows_end; ++r) made.by_rows_[r] = {algorithms::min(by_rows_[r].time, made.bound(times, r, r, made.most_turns_))};
    return made;
  }

  /// True if these are its cuts.
  [[nodiscard]] constexpr bool answers(const product_question& q, const bounded_product& of, std::size_t turns) const {
    return most_turns_ == turns && product_ == of && question_ == q;
  }
  /// The time of the best cut for parts of the rows, or a lower bound while it is not found; none if no cut fits.
  [[nodiscard]] constexpr double time(std::size_t rows) const { return by_rows_[rows].time; }
  /// The most that cuts with that time hold.
  [[nodiscard]] constexpr const product_bound& made(std::size_t rows) const { return by_rows_[rows].made; }

  /// The search for the least time, as the planner has it.
  constexpr void find(std::size_t rows) {
    best_cut& here = by_rows_[rows];
    if (here.is_found || here.time == does_not_fit) return;
    const cut_times times(question_.chip, product_.sizes.type);
    product_sides first;
    double least = does_not_fit;
    each(times, rows, rows, least, [&](double time, const product_sides& c) {
      if (time < least) least = time, first = c;
    });
    here = {least == does_not_fit ? least : exact(first), true};
    each(times, rows, rows, here.time, [&](double, const product_sides& c) {
      const double time = exact(c);
      if (time > here.time) return;
      if (time < here.time) here.made = {};
      here.time = time, here.made.raise(bound_of(c));
    });
  }

  /// The most that any cut holds that fits.
  [[nodiscard]] constexpr product_bound any(std::size_t rows) const {
    product_bound most;
    each(cut_times(question_.chip, product_.sizes.type), rows, rows, does_not_fit, [&](double, const product_sides& c) { most.raise(bound_of(c)); });
    return most;
  }

 private:
  struct best_cut {
    double time = does_not_fit;
    bool is_found = false;
    product_bound made{};  // of all cuts with that time
  };

  [[nodiscard]] constexpr bool may_have(std::size_t rows) const {
    return rows <= product_.sizes.rows && (rows % question_.samples == 0 || question_.samples % rows == 0);
  }
  [[nodiscard]] constexpr std::size_t largest(std::size_t rows) const { return divided_up(product_.sizes.rows, rows); }

  /// The least bound of cuts in at least some turns.
  [[nodiscard]] constexpr double bound(const cut_times& times, std::size_t rows, std::size_t last, std::size_t least_turns) const {
    double least = does_not_fit;
    each(times, rows, last, least, [&](double time, const product_sides&) { least = algorithms::min(least, time); }, least_turns);
    return least;
  }

  /// The parts of a dimension, many first: those are mostly soonest done.
  constexpr dynamic_array<cut_side> sides(const cut_times& times, std::size_t count) const {
    const part_list all(divided_up(count, panel_columns), question_.chip.tiles);
    dynamic_array<cut_side> made{all.parts.size()};
    for (std::size_t i = 0; i < made.size(); ++i) made[made.size() - 1 - i] = times.side(count, all.parts[i], panel_columns);
    return made;
  }

  /// Calls `visit(least time, cut)` for each cut that fits, and whose time may be within the limit, which it may lower. With `rows` to `last`
  /// parts of the rows, which are as large.
  template <class Visit>
  constexpr void each(const cut_times& times, std::size_t rows, std::size_t last, const double& limit, const Visit& visit, std::size_t least_turns = 1) const {
    if (rows == last && !may_have(rows)) return;
    for (std::size_t turns = least_turns; turns <= most_turns_ && rows % turns == 0; turns *= 2) {
      cut_side at_once = times.side(product_.sizes.rows, rows, 1);
      at_once.parts = rows / turns, at_once.most_parts = last / turns;
      if (2 * panel_columns * at_once.size * operand_bytes(product_.sizes.type) > question_.memory.value) continue;  // not even with a panel of each side
      for (const cut_side& input : inputs_) {
        const std::size_t most = question_.chip.tiles / (at_once.parts * input.parts);
        for (const cut_side& output : outputs_) {
          if (output.parts > most) continue;
          const auto time = static_cast<double>(times.least(product_.use, at_once, input, output, turns, limit));
          if (time > limit) continue;
          const product_sides c{at_once, input, output, turns};
          if (held_by(product_.use, product_.sizes.type, c).temporary <= question_.memory.value) visit(time, c);
        }
      }
    }
  }

  [[nodiscard]] constexpr double exact(const product_sides& c) const {
    return exact_time(question_.chip, {product_.sizes, c.rows.parts, c.inputs.parts, c.outputs.parts, {}, c.turns}, product_.use, question_.memory);
  }

  [[nodiscard]] constexpr product_bound bound_of(const product_sides& c) const {
    const auto& [r, i, o, turns] = c;
    product_bound made{held_by(product_.use, product_.sizes.type, c), largest_share(i.size * o.size, r.parts), largest_share(r.size * o.size, i.parts) * turns,
                       largest_share(r.size * i.size, o.parts) * turns, turns, pieces_of_panel(c)};
    if (product_.use.to_weights > 0) made.passes.temporary = algorithms::max(made.passes.temporary, algorithms::min(in_squares(made.passes.temporary, c), question_.memory.value));
    return made;
  }
  /// The bytes of its passes, if the gradient of its weights turns values round before they are brought; not used where they do not fit.
  [[nodiscard]] constexpr std::uint64_t in_squares(std::uint64_t held, const product_sides& c) const {
    const std::size_t tiles = c.rows.parts * c.inputs.parts * c.outputs.parts, size = operand_bytes(product_.sizes.type);
    const std::size_t y = squares_of_tile(product_.sizes.rows * product_.sizes.outputs, tiles, size), x = squares_of_tile(product_.sizes.rows * product_.sizes.inputs, tiles, size);
    return algorithms::max<std::uint64_t>(held + (c.turns > 1 ? y + x : 0), c.outputs.size * c.rows.size * size + 2 * x);
  }
  /// The pieces in which tiles have a panel of a result: shares of each block, in which a panel may begin and end, or an even share of all.
  [[nodiscard]] constexpr std::size_t pieces_of_panel(const product_sides& c) const {
    const std::size_t outputs = product_.sizes.outputs, inputs = c.inputs.parts;
    if (c.turns > 1) return divided_up(panel_columns * question_.chip.tiles, outputs) + 2 * c.rows.parts * c.turns;
    const std::size_t of_block = algorithms::max<std::size_t>(1, divided_up(outputs, panel_columns) / c.outputs.parts);
    return c.rows.parts * algorithms::min(inputs, inputs / of_block + 2);
  }

  product_question question_{};
  bounded_product product_{};
  std::size_t most_turns_ = 1;
  dynamic_array<cut_side> inputs_{}, outputs_{};
  dynamic_array<best_cut> by_rows_{};  // by the parts of the rows, in all turns together
};
using known_product = basic_known_product<>;

}  // namespace impl

/// The products of a network: what is found of one serves all stages that have it.
class product_memo {
 public:
  /// The bounds of products of a stage, which have the same rows: the first `count` of `all`, to `made`.
  constexpr void bound(const product_question& q, const bounded_product* all, std::size_t count, product_bound* made) {
    dynamic_array<std::size_t> at{count};
    double least = impl::does_not_fit;
    for (std::size_t turns = 1; least == impl::does_not_fit && turns <= most_turns_of_rows; turns *= 2) {
      for (std::size_t p = 0; p < count; ++p) at[p] = place_of(q, all[p], turns);
      least = least_time(at);
    }
    for (std::size_t rows = 1; rows < impl::rows_end; ++rows) {
      if (least < impl::does_not_fit && !(time(at, rows) == least)) continue;
      for (std::size_t p = 0; p < count; ++p) made[p].raise(least < impl::does_not_fit ? known_[at[p]].made(rows) : known_[at[p]].any(rows));
    }
    for (std::size_t p = 0; p < count; ++p) {
      if (made[p] == product_bound{}) made[p].passes.temporary = q.memory.value;  // no cut fits: done in turns of its columns
    }
  }

 private:
  constexpr std::size_t place_of(const product_question& q, const bounded_product& p, std::size_t turns) {
    std::size_t at = 0;
    while (at < known_.size() && !known_[at].answers(q, p, turns)) ++at;
    if (at < known_.size()) return at;
    if (turns == 1) {
      known_.push_back(impl::known_product(q, p));
    } else {
      const std::size_t fewer = place_of(q, p, turns / 2);
      known_.push_back(known_[fewer].in_twice_the_turns());
    }
    return known_.size() - 1;
  }
  /// Of all products together, each as well as it is known.
  [[nodiscard]] constexpr double time(const dynamic_array<std::size_t>& at, std::size_t rows) const {
    double sum = 0;
    for (const std::size_t p : at) sum += known_[p].time(rows);
    return sum;
  }
  /// Of the parts of the rows that are best for all of them.
  constexpr double least_time(const dynamic_array<std::size_t>& at) {
    dynamic_array<double> bounds{impl::rows_end};
    for (std::size_t r = 1; r < impl::rows_end; ++r) bounds[r] = time(at, r);
    for (double known = impl::does_not_fit;;) {
      const auto first = static_cast<std::size_t>(algorithms::min_element(bounds.begin() + 1, bounds.end()) - bounds.begin());
      if (bounds[first] > known || bounds[first] == impl::does_not_fit) return known;
      for (std::size_t p = 0; p < at.size() && time(at, first) <= known; ++p) known_[at[p]].find(first);
      known = algorithms::min(known, time(at, first));
      bounds[first] = impl::does_not_fit;
    }
  }

  dynamic_array<impl::known_product> known_{};
};

}  // namespace ipuflow::ipu
