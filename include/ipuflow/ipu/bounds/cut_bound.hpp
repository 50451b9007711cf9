// SPDX-License-Identifier: BSL-1.0
// Lower bounds of the time of a product's cut, and what it holds. There are many cuts, and compilers count their steps: what depends
// on one side of a cut alone is worked out once, and what it holds only of cuts that are soon done.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/bounds/operation_bound.hpp>
#include <ipuflow/ipu/ops/product_cut.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::ipu::impl {

inline constexpr double does_not_fit = std::numeric_limits<double>::infinity();

/// A dimension of a product that is cut: its largest part on a tile.
struct cut_side {
  std::size_t parts = 1, most_parts = 1, size = 0;  // most_parts: with which it is as large
  std::size_t groups = 0, passes = 0, cycles = 0;  // of the array: as what is summed, as outputs, and of a pass over it as positions
};

/// A cut of a product in parts of its rows, of what is summed and of its columns, and turns of the rows.
struct product_sides {
  cut_side rows{}, inputs{}, outputs{};
  std::size_t turns = 1;
};

/// The least cycles in which a matrix is turned round within a tile: element by element, or in squares.
struct turning {
  std::size_t each = 1, start = 0, square = 0;

  constexpr turning(const architecture& chip, std::size_t size) : each{size / algorithms::min(chip.copy_width, size)} {
    const std::size_t few = turn_bundles(chip, panel_columns, panel_columns * chip.workers * 100, size);
    const std::size_t many = turn_bundles(chip, panel_columns, panel_columns * chip.workers * 200, size);
    square = (many - few) / 100, start = chip.workers * (2 * few - many);
  }
  [[nodiscard]] constexpr std::size_t least(std::size_t elements) const {
    return elements * each < start + elements / square_elements * square ? elements * each : start + elements / square_elements * square;
  }
};

/// The least times of cuts, in cycles, by the chip's numbers for one type.
class cut_times {
 public:
  constexpr cut_times(const architecture& chip, amp_precision type)
      : chip_{chip},
        type_{type},
        array_{array_of(chip, type)},
        operand_{chip, operand_bytes(type)},
        result_{chip, partial_bytes(type)},
        size_{operand_bytes(type)},
        sum_{partial_bytes(type)},
        loads_{6 + weight_loads(chip, type)},
        squares_{(2 * turned_squares(chip, 1, 1, size_)).value},
        end_{(2 * chip.sync + chip.exchange_latency).value},
        sums_{(copied(chip, 0) + alone(reduce_cost(chip, partial_type(type), 1, 1), chip)).value} {
    const cut_side one = side(1, 1, 1);
    begin_ = (chip.sync + chip.exchange_latency + alone(matmul_cost(chip, {1, 1, 1, 1, type}), chip)).value - one.groups * (29 + one.passes * one.cycles);
  }

  [[nodiscard]] constexpr cut_side side(std::size_t count, std::size_t parts, std::size_t grain) const {
    const std::size_t most = divided_up(divided_up(count, grain), parts) * grain;
    const std::size_t pass = pass_bundles(array_, type_, divided_up(most, chip_.workers), false) - 1;  // the least, whichever pass it is
    return {parts, parts, most, divided_up(most, array_.channels), divided_up(most, array_.units), loads_ + chip_.workers * pass};
  }

  /// Of an operand that is turned round within a tile.
  [[nodiscard]] constexpr std::size_t turned(std::size_t elements) const { return operand_.least(elements); }

  /// Of all passes; of a cut that takes longer than `limit` no more is known than that.
  [[nodiscard]] constexpr std::size_t least(const product_use& use, const cut_side& rows, const cut_side& inputs, const cut_side& outputs, std::size_t turns,
                                            double limit) const {
    std::size_t time = use.forward == 0 ? 0 : use.forward * turns * pass(rows, inputs, outputs, 1, turns > 1, 0);
    if (use.to_inputs > 0 && static_cast<double>(time) <= limit)
      time += use.to_inputs * turns * pass(rows, outputs, inputs, 1, turns > 1, operand_.least(outputs.size * inputs.size));
    if (use.to_weights > 0 && static_cast<double>(time) <= limit)
      time += use.to_weights * pass(outputs, rows, inputs, turns, false, algorithms::min(operand_.least(rows.size * outputs.size), squares_ / turns));
    return time;
  }

  /// Of one pass. `turned`: cycles in which an operand is turned round. `is_there`: what is multiplied with was brought before.
  [[nodiscard]] constexpr std::size_t pass(const cut_side& rows, const cut_side& depth, const cut_side& columns, std::size_t k_turns, bool is_there, std::size_t turned) const {
    const std::size_t made = rows.size * columns.size, left = rows.size * depth.size, straight = depth.groups * (29 + columns.passes * rows.cycles),
                      across = depth.groups * (29 + rows.passes * columns.cycles),
                      product = straight <= across ? straight : algorithms::min(straight, across + result_.least(made)),
                      moved = (columns.parts % chip_.tiles_per_bus == 0 ? left / chip_.tiles_per_bus : left) + (is_there ? 0 : depth.size * columns.size),
                      sums = depth.parts == 1 ? 0 : added_up(made, depth);
    return (begin_ + moved * size_ / chip_.exchange_width + product + turned) * k_turns + end_ + made / depth.most_parts * size_ / chip_.exchange_width + sums;
  }

 private:
  /// Partials of a result: all at once where that is all that is tried, as it has more than half as many panels as there are partials.
  constexpr std::size_t added_up(std::size_t made, const cut_side& depth) const {
    const std::size_t parts = depth.parts, panels = (made + panel_columns - 1) / panel_columns, share = (panels + parts - 1) / parts * panel_columns;
    if (depth.most_parts > parts || parts >= 2 * panels || sum_ == 2) return sums_ + made * sum_ / chip_.exchange_width;
    return sums_ + share * parts * sum_ / chip_.exchange_width + chip_.workers * ((2 * parts + 8) * ((share / 4 + chip_.workers - 1) / chip_.workers) - 10);
  }

  const architecture& chip_;
  amp_precision type_;
  amp_array array_;
  turning operand_, result_;
  std::size_t size_, sum_, loads_, squares_, end_, sums_, begin_ = 0;
};

/// The bytes that a pass of a cut holds, of operands of `size` bytes and partial results of `sum`.
constexpr std::size_t held_by_pass(std::size_t size, std::size_t sum, const cut_side& rows, const cut_side& depth, const cut_side& columns) {
  const std::size_t made = rows.size * columns.size, held = (rows.size + columns.size) * depth.size * size + made * sum;
  return depth.parts == 1 ? held : algorithms::max(held, made * sum * 2 + largest_share(made, depth.parts) * 4);
}

/// The most that a pass of a cut holds.
constexpr operation_bound held_by(const product_use& use, amp_precision type, const product_sides& c) {
  operation_bound most;
  const std::size_t size = operand_bytes(type), sum = partial_bytes(type);
  const auto add = [&](const cut_side& rows, const cut_side& depth, const cut_side& columns, std::size_t times) {
    const std::size_t held = (rows.size + columns.size) * depth.size * size + rows.size * columns.size * sum;
    if (times == 0) return;
    most.temporary = algorithms::max<std::uint64_t>(most.temporary, held_by_pass(size, sum, rows, depth, columns));
    most.pieces = algorithms::max<std::uint64_t>(most.pieces, (4 + held / 4096 + (depth.parts == 1 ? 0 : depth.parts)) * c.turns);
  };
  add(c.rows, c.inputs, c.outputs, use.forward), add(c.rows, c.outputs, c.inputs, use.to_inputs), add(c.outputs, c.rows, c.inputs, use.to_weights);
  return most;
}

/// The cycles of a cut as the planner has them; none if it does not fit.
constexpr double exact_time(const architecture& chip, const product_cut& cut, const product_use& use, bytes memory) {
  double time = 0;
  const auto add = [&](product_pass pass, std::size_t times) {
    if (times == 0) return;
    const matmul_plan p = plan_pass(chip, cut, pass, memory).plan;
    time += p.temporary <= memory ? static_cast<double>(p.estimate.value * times) : does_not_fit;
  };
  add(product_pass::forward, use.forward), add(product_pass::to_inputs, use.to_inputs), add(product_pass::to_weights, use.to_weights);
  return time;
}

}  // namespace ipuflow::ipu::impl
