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
};

namespace impl {

/// The chip's numbers for one type: `loads` is the cycles in which the weights of a pass are brought, whichever side they are; `begin` those of
/// a turn, and `end` those of a pass, that depend on no size. They are asked for once, as there are many cuts and compilers count their steps.
struct array_numbers {
  std::size_t size, sum, channels, units, loads, macs, width, sync, begin, end;

  constexpr array_numbers(const architecture& chip, amp_precision type)
      : size{operand_bytes(type)},
        sum{partial_bytes(type)},
        channels{array_of(chip, type).channels},
        units{array_of(chip, type).units},
        loads{weight_loads(chip, type)},
        macs{macs_per_cycle(chip, type)},
        width{chip.exchange_width},
        sync{chip.sync.value},
        begin{(chip.sync + chip.exchange_latency).value + 2 * amp_call},
        end{(2 * chip.sync + chip.exchange_latency).value} {}
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
    if (use.forward > 0) add(array, {m, k, n}, cut.input_parts, cut.output_parts, use.forward, cut.turns, 1);
    if (use.to_inputs > 0 && time <= limit) add(array, {m, n, k}, cut.output_parts, cut.input_parts, use.to_inputs, cut.turns, 1);
    if (use.to_weights > 0 && time <= limit) add(array, {n, m, k}, cut.row_parts, cut.input_parts, use.to_weights, 1, cut.turns);
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
    std::size_t rows, depth, columns;
  };
  constexpr void add(const array_numbers& array, const block& b, std::size_t k_parts, std::size_t n_parts, std::size_t times, std::size_t m_turns,
                     std::size_t k_turns) {
    const std::size_t left = b.rows * b.depth, right = b.depth * b.columns, made = b.rows * b.columns;
    const std::size_t moved = (n_parts % 2 == 0 ? left / 2 : left) + (m_turns == 1 ? right : 0);  // weights of several turns are brought once
    std::size_t held = (left + right) * array.size + made * array.sum, pieces = 4 + held / 4096;
    const std::size_t each = array.begin + moved * array.size / array.width + made * b.depth / array.macs +
                             divided_up(b.depth, array.channels) * divided_up(b.rows < b.columns ? b.rows : b.columns, array.units) * array.loads;
    std::size_t after = array.end + made / k_parts * array.size / array.width;
    if (k_parts > 1) {
      held = algorithms::max(held, made * array.sum * 2 + largest_share(made, k_parts) * 4), pieces += k_parts;
      after += array.sync + made * array.sum / array.width;
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

/// Raises `made` to what cuts take of which each has `memory` at most. False: that is not known to be enough for every product. `least`: the
/// least time of each product, by parts of the rows, in fewer turns than the most; those of the most are put there.
constexpr bool raise_bounds(const architecture& chip, const bounded_product* all, std::size_t count, const row_cuts& cuts, bytes memory, double* least,
                            product_bound* made) {
  constexpr double none = does_not_fit;
  const array_numbers array(chip, all[0].sizes.type);
  double least_of_rows[rows_end]{};
  const row_cuts added{cuts.samples, cuts.tiles, cuts.most_turns, cuts.most_turns};
  for (std::size_t p = 0; p < count; ++p) {
    added.each(all[p].sizes, 1, rows_end - 1, [&](const product_cut& cut) {
      double& here = least[p * rows_end + cut.all_row_parts()];
      const cut_bound b(array, cut, all[p].use, here);
      if (b.time < here && b.most.temporary <= memory.value) here = b.time;
    });
    for (std::size_t r = 0; r < rows_end; ++r) least_of_rows[r] += least[p * rows_end + r];
  }
  const auto rows = static_cast<std::size_t>(algorithms::min_element(least_of_rows, least_of_rows + rows_end) - least_of_rows);
  const bool some_fit = least_of_rows[rows] < none;
  if (!some_fit && cuts.most_turns < most_turns_of_rows) return false;
  dynamic_array<double> times{count};  // with these parts of the rows
  double known = some_fit ? 0 : none;
  for (std::size_t p = 0; some_fit && p < count; ++p) {
    first_plans<product_cut, 3> first;
    cuts.each(all[p].sizes, rows, rows, [&](const product_cut& cut) {
      const cut_bound b(array, cut, all[p].use, does_not_fit);
      if (b.most.temporary <= memory.value) first.offer(cut, b.time);
    });
    times[p] = none;
    for (std::size_t i = 0; i < first.count; ++i) times[p] = algorithms::min(times[p], exact_time(chip, first.plans[i], all[p].use, memory));
    known += times[p];
  }
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t r = 1; r < rows_end; ++r) {
      if (least_of_rows[r] > known || least[p * rows_end + r] == none) continue;
      cuts.each(all[p].sizes, r, r, [&](const product_cut& cut) {
        const double limit = known == none ? none : r == rows ? times[p] : known - (least_of_rows[r] - least[p * rows_end + r]);
        const cut_bound b(array, cut, all[p].use, limit);
        if (b.time > limit || b.most.temporary > memory.value) return;
        const product_bound more = with(made[p], cut, all[p].use, b, cuts.tiles, memory);
        if (!(more == made[p]) && exact_time(chip, cut, all[p].use, memory) <= limit) made[p] = more;
      });
    }
  }
  return known < none;
}

}  // namespace impl

/// Products of a stage that are bounded together.
inline constexpr std::size_t most_products = 64;

/// Of products with the same rows, the first `count` of `all`, to `made`.
constexpr void bound_products(const architecture& chip, const bounded_product* all, std::size_t count, std::size_t samples, std::size_t tiles, bytes memory,
                              product_bound* made) {
  dynamic_array<double> least{count * impl::rows_end};
  for (std::size_t i = 0; i < count * impl::rows_end; ++i) least[i] = impl::does_not_fit;
  for (std::size_t turns = 1; turns <= most_turns_of_rows; turns *= 2) {
    if (impl::raise_bounds(chip, all, count, {samples, tiles, 1, turns}, memory, least.data(), made)) return;
  }
}

}  // namespace ipuflow::ipu
