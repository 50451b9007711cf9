// SPDX-License-Identifier: BSL-1.0
// Upper bounds of the products of a stage, which have the same parts of rows. The cut with the fewest cycles for all of them together is
// taken, so each is at most as slow as a known cut leaves it beside the others at their fastest; of all cuts that are as fast the
// bound is the most that any has on a tile. Where none is known to fit, cuts in more turns are bounded, too.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/bounds/operation_bound.hpp>
#include <ipuflow/ipu/ops/product_cut.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::ipu {

/// The most of a product on a tile: bytes that its passes need, and elements of what stays.
struct product_bound {
  operation_bound passes{};
  std::uint64_t weights = 0;  ///< elements
  std::uint64_t made = 0;     ///< elements of its result, where it is made
  std::uint64_t slopes = 0;   ///< elements of the gradient of what it reads, likewise
  std::uint64_t turns = 1;    ///< of the rows
  std::uint64_t panel = 0;    ///< pieces in which tiles have a panel of its result

  friend constexpr bool operator==(const product_bound&, const product_bound&) = default;
};

/// One product of a stage.
struct bounded_product {
  product_sizes sizes{};
  product_use use{};

  friend constexpr bool operator==(const bounded_product&, const bounded_product&) = default;
};

namespace impl {

/// The chip's numbers for one type: `loads` is the cycles in which the weights of a pass are brought, whichever side they are; `begin` those of a
/// turn, `end` those of a pass, `sums` those of adding partials up and `squares` those of turning squares round, that depend on no size. They
/// are asked for once, as there are many cuts and compilers count their steps.
struct array_numbers {
  const architecture& chip;
  amp_precision type;
  amp_array array;
  std::size_t size, sum, loads, begin, end, sums, squares;

  constexpr array_numbers(const architecture& on, amp_precision of)
      : chip{on},
        type{of},
        array{array_of(chip, type)},
        size{operand_bytes(type)},
        sum{partial_bytes(type)},
        loads{weight_loads(chip, type)},
        begin{(chip.sync + chip.exchange_latency + alone(matmul_cost(chip, {1, 1, 1, 1, type}), chip)).value - multiplied(1, 1, 1)},
        end{(2 * chip.sync + chip.exchange_latency).value},
        sums{(copied(chip, 0) + alone(reduce_cost(chip, partial_type(type), 1, 1), chip)).value},
        squares{(2 * turned_squares(chip, 1, 1, size)).value} {}

  /// The least cycles of the codelet for `positions` rows of `in` channels with weights of `out` columns, beside `begin`.
  constexpr std::size_t multiplied(std::size_t positions, std::size_t in, std::size_t out) const {
    const std::size_t pass = pass_bundles(array, type, divided_up(positions, chip.workers), false) - 1;
    return divided_up(in, array.channels) * (29 + divided_up(out, array.units) * (6 + loads + chip.workers * pass));
  }
  constexpr std::size_t turned(std::size_t rows, std::size_t columns, std::size_t each) const {
    return chip.workers * turn_bundles(chip, rows, columns, each);
  }
};

/// The least time of a cut, in cycles, and what its passes hold. It looks at sizes alone, as there are many cuts; of one that takes longer than
/// `limit` no more is known than that.
struct cut_bound {
  std::size_t m = 0, k = 0, n = 0;  // rows, inputs and outputs of a tile
  double time = 0;
  operation_bound most{};

  constexpr cut_bound(const array_numbers& array, const product_cut& cut, const product_use& use, double limit) {
    m = divided_up(cut.sizes.rows, cut.all_row_parts());
    k = divided_up(divided_up(cut.sizes.inputs, panel_columns), cut.input_parts) * panel_columns;
    n = divided_up(divided_up(cut.sizes.outputs, panel_columns), cut.output_parts) * panel_columns;
    if (use.forward > 0) add(array, {m, k, n, cut.input_parts, cut.output_parts}, use.forward, cut.turns, 1, 0);
    if (use.to_inputs > 0 && time <= limit) add(array, {m, n, k, cut.output_parts, cut.input_parts}, use.to_inputs, cut.turns, 1, array.turned(n, k, array.size));
    if (use.to_weights == 0 || time > limit) return;
    const std::size_t turn = array.turned(m, n, array.size) * cut.turns;
    add(array, {n, m, k, cut.row_parts, cut.input_parts}, use.to_weights, 1, cut.turns, algorithms::min(turn, array.squares) / cut.turns);
  }

  /// The bytes of its passes, if the gradient of its weights turns values round before they are brought.
  [[nodiscard]] constexpr std::uint64_t in_squares(const product_cut& cut) const {
    const std::size_t tiles = cut.row_parts * cut.input_parts * cut.output_parts, size = operand_bytes(cut.sizes.type);
    const std::size_t y = squares_of_tile(cut.sizes.rows * cut.sizes.outputs, tiles, size);
    const std::size_t x = squares_of_tile(cut.sizes.rows * cut.sizes.inputs, tiles, size);
    return algorithms::max<std::uint64_t>(most.temporary + (cut.turns > 1 ? y + x : 0), n * m * size + 2 * x);
  }

 private:
  struct block {
    std::size_t rows, depth, columns, k_parts, n_parts;
  };
  /// `turn`: cycles in which an operand is turned round.
  constexpr void add(const array_numbers& array, const block& b, std::size_t times, std::size_t m_turns, std::size_t k_turns, std::size_t turn) {
    const std::size_t left = b.rows * b.depth, right = b.depth * b.columns, made = b.rows * b.columns, width = array.chip.exchange_width;
    const std::size_t moved = (b.n_parts % 2 == 0 ? left / 2 : left) + (m_turns == 1 ? right : 0);  // weights of several turns are brought once
    std::size_t held = (left + right) * array.size + made * array.sum, pieces = 4 + held / 4096;
    const std::size_t straight = array.multiplied(b.rows, b.depth, b.columns), across = array.multiplied(b.columns, b.depth, b.rows);
    const std::size_t product = straight <= across ? straight : algorithms::min(straight, across + array.turned(b.rows, b.columns, array.sum));
    const std::size_t each = array.begin + moved * array.size / width + product + turn;
    std::size_t after = array.end + made / b.k_parts * array.size / width;
    if (b.k_parts > 1) {
      held = algorithms::max(held, made * array.sum * 2 + largest_share(made, b.k_parts) * 4), pieces += b.k_parts;
      after += array.sums + made * array.sum / width;
    }
    time += static_cast<double>((each * k_turns + after) * m_turns * times);
    most = {algorithms::max<std::uint64_t>(most.temporary, held), algorithms::max<std::uint64_t>(most.pieces, pieces * m_turns * k_turns)};
  }
};

/// Parts of the rows of all products, and the most turns of each.
struct row_cuts {
  std::size_t samples, tiles, least_turns, most_turns;

  /// Calls `visit(cut)` for each that a product may take, with `first` to `last` parts of the rows.
  template <class Visit>
  constexpr void each(const product_sizes& s, std::size_t first, std::size_t last, const Visit& visit) const {
    const part_list inputs(divided_up(s.inputs, panel_columns), tiles), outputs(divided_up(s.outputs, panel_columns), tiles);
    for (std::size_t rows = first; rows <= algorithms::min<std::size_t>(s.rows, last, tiles); ++rows) {
      if (rows % samples != 0 && samples % rows != 0) continue;
      for (std::size_t turns = least_turns; turns <= most_turns && rows % turns == 0; turns *= 2) {
        const std::size_t r = rows / turns;
        for (const std::size_t i : inputs) {
          for (const std::size_t o : outputs) {
            if (r * i * o > tiles) break;
            visit(product_cut{s, r, i, o, {}, turns});
          }
        }
      }
    }
  }
};

/// The cycles of a cut as the planner has them; none if it does not fit.
constexpr double exact_time(const architecture& chip, const product_cut& cut, const product_use& use, bytes memory) {
  double time = 0;
  const auto add = [&](product_pass pass, std::size_t times) {
    if (times == 0) return;
    const matmul_plan p = plan_pass(chip, cut, pass, memory).plan;
    time += p.temporary <= memory ? static_cast<double>(p.estimate.value * times) : std::numeric_limits<double>::infinity();
  };
  add(product_pass::forward, use.forward), add(product_pass::to_inputs, use.to_inputs), add(product_pass::to_weights, use.to_weights);
  return time;
}

/// The pieces in which tiles have a panel of a result: shares of each block, in which a panel may begin and end, or an even share of all.
constexpr std::size_t pieces_of_panel(const product_cut& cut, std::size_t tiles) {
  const std::size_t of_block = algorithms::max<std::size_t>(1, divided_up(cut.sizes.outputs, panel_columns) / cut.output_parts);
  if (cut.turns > 1) return divided_up(panel_columns * tiles, cut.sizes.outputs) + 2 * cut.all_row_parts();
  return cut.row_parts * algorithms::min(cut.input_parts, cut.input_parts / of_block + 2);
}

/// The most of a bound and a cut.
constexpr product_bound with(const product_bound& most, const product_cut& cut, const product_use& use, const cut_bound& b, std::size_t tiles, bytes memory) {
  const std::uint64_t in_squares = use.to_weights > 0 ? algorithms::min(b.in_squares(cut), memory.value) : 0;  // not used where they do not fit
  return {{algorithms::max(most.passes.temporary, algorithms::max(b.most.temporary, in_squares)), algorithms::max(most.passes.pieces, b.most.pieces)},
          algorithms::max<std::uint64_t>(most.weights, largest_share(b.k * b.n, cut.row_parts)),
          algorithms::max<std::uint64_t>(most.made, largest_share(b.m * b.n, cut.input_parts) * cut.turns),
          algorithms::max<std::uint64_t>(most.slopes, largest_share(b.m * b.k, cut.output_parts) * cut.turns),
          algorithms::max<std::uint64_t>(most.turns, cut.turns),
          algorithms::max<std::uint64_t>(most.panel, pieces_of_panel(cut, tiles))};
}

inline constexpr std::size_t rows_end = 65;  // there are at most 64 parts of the rows
inline constexpr double does_not_fit = std::numeric_limits<double>::infinity();

/// The cut of a product with the least bound of its time, for some parts of the rows, and with the least time, if that is known.
struct first_cut {
  double bound = does_not_fit;
  product_cut cut{};
  double time = does_not_fit;
  product_bound made{};  // of all cuts with that time
};

/// The search for the cuts that a stage takes: of products that are alike, one with their number.
template <class = void>
class basic_cut_search {
 public:
  constexpr basic_cut_search(const architecture& chip, const bounded_product* all, std::size_t count, std::size_t samples, std::size_t tiles, bytes memory)
      : array_{chip, all[0].sizes.type}, all_{all}, count_{count}, samples_{samples}, tiles_{tiles}, memory_{memory}, like_{count}, number_{count}, first_{count * rows_end} {
    for (std::size_t p = 0; p < count; ++p) {
      while (!(all[like_[p]] == all[p])) ++like_[p];
      ++number_[like_[p]];
    }
  }

  /// The bounds of all products, in as few turns as fit.
  constexpr void take(product_bound* made) {
    bool fits = false;
    for (std::size_t turns = 1; !fits && turns <= most_turns_of_rows; turns *= 2) fits = find({samples_, tiles_, turns, turns});
    for (std::size_t r = 1; r < rows_end; ++r) {
      if (fits && !(bound_of_rows(r) == known_)) continue;
      for (std::size_t p = 0; p < count_; ++p) {
        if (first(p, r).bound < does_not_fit) raise(made[p], fits ? first(like_[p], r).made : any(like_[p], r));
      }
    }
  }

 private:
  constexpr first_cut& first(std::size_t p, std::size_t r) { return first_[like_[p] * rows_end + r]; }
  template <class Visit>
  constexpr void each_alike(const Visit& visit) const {
    for (std::size_t p = 0; p < count_; ++p) {
      if (number_[p] > 0) visit(p);
    }
  }
  /// Of all products together, each as well as it is known.
  constexpr double bound_of_rows(std::size_t r) {
    double sum = 0;
    each_alike([&](std::size_t p) { sum += static_cast<double>(number_[p]) * (first(p, r).time < does_not_fit ? first(p, r).time : first(p, r).bound); });
    return sum;
  }

  /// With cuts in these turns, too. False: they do not fit all products.
  constexpr bool find(const row_cuts& more) {
    each_alike([&](std::size_t p) {
      more.each(all_[p].sizes, 1, rows_end - 1, [&](const product_cut& cut) {
        first_cut& here = first(p, cut.all_row_parts());
        const cut_bound b(array_, cut, all_[p].use, here.bound);
        if (b.time < here.bound && b.most.temporary <= memory_.value) here.bound = b.time, here.cut = cut;
      });
    });
    const row_cuts cuts{samples_, tiles_, 1, more.most_turns};
    for (bool tried[rows_end]{};;) {
      std::size_t rows = 0;
      double least = does_not_fit;
      for (std::size_t r = 1; r < rows_end; ++r) {
        const double time = tried[r] ? does_not_fit : bound_of_rows(r);
        if (time < least) rows = r, least = time;
      }
      if (rows == 0 || least > known_) return known_ < does_not_fit;
      tried[rows] = true;
      each_alike([&](std::size_t p) {
        if (bound_of_rows(rows) <= known_) find_time(p, rows, cuts);
      });
      known_ = algorithms::min(known_, bound_of_rows(rows));
    }
  }

  /// The least time of a product with these parts of the rows, as the planner has it.
  constexpr void find_time(std::size_t p, std::size_t rows, const row_cuts& cuts) {
    first_cut& here = first(p, rows);
    here.time = exact_time(array_.chip, here.cut, all_[p].use, memory_);
    cuts.each(all_[p].sizes, rows, rows, [&](const product_cut& cut) {
      const cut_bound b(array_, cut, all_[p].use, here.time);
      if (b.time > here.time || b.most.temporary > memory_.value) return;
      const double time = exact_time(array_.chip, cut, all_[p].use, memory_);
      if (time > here.time) return;
      here.made = with(time < here.time ? product_bound{} : here.made, cut, all_[p].use, b, tiles_, memory_);
      here.time = time;
    });
  }

  /// Of any cut that fits.
  constexpr product_bound any(std::size_t p, std::size_t rows) {
    product_bound made;
    row_cuts{samples_, tiles_, 1, most_turns_of_rows}.each(all_[p].sizes, rows, rows, [&](const product_cut& cut) {
      const cut_bound b(array_, cut, all_[p].use, does_not_fit);
      if (b.most.temporary <= memory_.value) made = with(made, cut, all_[p].use, b, tiles_, memory_);
    });
    return made;
  }

  static constexpr void raise(product_bound& most, const product_bound& other) {
    for (const auto member : {&product_bound::weights, &product_bound::made, &product_bound::slopes, &product_bound::turns, &product_bound::panel})
      most.*member = algorithms::max(most.*member, other.*member);
    most.passes = {algorithms::max(most.passes.temporary, other.passes.temporary), algorithms::max(most.passes.pieces, other.passes.pieces)};
  }

  array_numbers array_;
  const bounded_product* all_;
  std::size_t count_, samples_, tiles_;
  bytes memory_;
  dynamic_array<std::size_t> like_, number_;  // the first product that is alike, and how many are
  dynamic_array<first_cut> first_;            // by product and parts of the rows
  double known_ = does_not_fit;               // the least time of all together
};
using cut_search = basic_cut_search<>;

}  // namespace impl

/// Products of a stage that are bounded together.
inline constexpr std::size_t most_products = 64;

/// Of products with the same rows, the first `count` of `all`, to `made`.
constexpr void bound_products(const architecture& chip, const bounded_product* all, std::size_t count, std::size_t samples, std::size_t tiles, bytes memory,
                              product_bound* made) {
  impl::cut_search{chip, all, count, samples, tiles, memory}.take(made);
}

}  // namespace ipuflow::ipu
