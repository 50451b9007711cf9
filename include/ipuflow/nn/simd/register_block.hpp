// SPDX-License-Identifier: BSL-1.0
// The innermost loop of convolutions and linear layers: a block of sums, `Rows` outputs by `Columns` positions, that
// stays in registers. Each step multiplies `Rows` weights by `Columns` lanes. The block is unrolled by a fold, not by a
// pragma or an optimiser's goodwill: a sum that is indexed at run time lives in memory.
#pragma once

#include <ipuflow/nn/simd/lanes.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace impl {

struct register_block_size {
  std::size_t rows = 1;
  std::size_t columns = 1;
};

}  // namespace impl

namespace detail {

/// In half cycles: two multiply-adds and two loads a cycle, four cycles until a sum is ready again.
constexpr std::size_t step_cost(std::size_t rows, std::size_t columns) {
  const std::size_t sums = rows * columns;
  const std::size_t loads = rows + columns;
  return 4 * (sums > 8 ? sums : 8) + loads;
}

constexpr std::size_t cover_cost(std::size_t rows, std::size_t columns, impl::register_block_size size) {
  const std::size_t last_row = rows % size.rows;
  const std::size_t last_column = columns % size.columns;
  const std::size_t full = rows / size.rows * (columns / size.columns);
  std::size_t cost = full * step_cost(size.rows, size.columns);
  if (last_row > 0) cost += columns / size.columns * step_cost(last_row, size.columns);
  if (last_column > 0) cost += rows / size.rows * step_cost(size.rows, last_column);
  if (last_row > 0 && last_column > 0) cost += step_cost(last_row, last_column);
  return cost;
}

}  // namespace detail

namespace impl {

/// The block that covers rows x columns fastest within the registers that there are; columns come in multiples of
/// `unit`.
constexpr register_block_size best_register_block(std::size_t rows, std::size_t columns, std::size_t unit = 1) {
  register_block_size best{1, unit};
  if (rows == 0 || columns == 0) return best;
  for (std::size_t r = 1; r <= rows && r <= accumulator_count; ++r) {
    for (std::size_t c = unit; c <= columns && r * c <= accumulator_count; c += unit) {
      if (detail::cover_cost(rows, columns, {r, c}) < detail::cover_cost(rows, columns, best)) best = {r, c};
    }
  }
  return best;
}

template <class T, std::size_t Rows, std::size_t Columns>
struct register_block {
  lanes<T> sums[Rows * Columns];

  using indices = std::make_index_sequence<Rows * Columns>;

  /// Every row begins with its bias; without one, with zero.
  [[gnu::always_inline]] void start(const T* bias) { start(bias, indices{}); }

  /// Goes on where `store` stopped.
  template <auto RowStride, auto ColumnStride>
  [[gnu::always_inline]] void load(const lanes<T>* out) {
    load<RowStride, ColumnStride>(out, indices{});
  }

  /// Adds weights[row] * in[column], for weights and lanes so far apart.
  template <auto WeightStride, auto InStride>
  [[gnu::always_inline]] void multiply_add(const T* weights, const lanes<T>* in) {
    multiply_add<WeightStride, InStride>(weights, in, indices{});
  }

  template <auto RowStride, auto ColumnStride>
  [[gnu::always_inline]] void store(lanes<T>* out) const {
    store<RowStride, ColumnStride>(out, indices{});
  }

  /// Adds `count` terms: those of weights lie `weight_step` apart, those of lanes `in_step`. The lanes of a term are read before those of
  /// the term before are added: a compiler that sees them read where they are needed reads them again for each row.
  template <auto InStride, class WeightStride>
  [[gnu::always_inline]] void multiply_add(const T* weights, WeightStride weight_stride, std::ptrdiff_t weight_step, const lanes<T>* in,
                                           std::ptrdiff_t in_step, std::size_t count) {
    lanes<T> read[Columns];
    read_columns<InStride>(in, read, std::make_index_sequence<Columns>{});
    for (; count > 1; --count, weights += weight_step) {
      multiply_add(weights, weight_stride, read, indices{});
      in += in_step;
      read_columns<InStride>(in, read, std::make_index_sequence<Columns>{});
    }
    multiply_add(weights, weight_stride, read, indices{});
  }

  /// For distances that are known only when it runs; columns follow each other.
  [[gnu::always_inline]] void load(const lanes<T>* out, std::ptrdiff_t row_stride) { load(out, row_stride, indices{}); }
  [[gnu::always_inline]] void store(lanes<T>* out, std::ptrdiff_t row_stride) const { store(out, row_stride, indices{}); }

  /// Adds every sum to `lane_count` numbers; those of columns follow each other.
  template <auto RowStride>
  [[gnu::always_inline]] void add_to_numbers(T* out) const {
    add_to_numbers<RowStride>(out, indices{});
  }

 private:
  template <class Stride>
  static constexpr std::ptrdiff_t at(std::size_t index, Stride stride) {
    return static_cast<std::ptrdiff_t>(index) * static_cast<std::ptrdiff_t>(stride);
  }

  template <std::size_t... I>
  [[gnu::always_inline]] void start(const T* bias, std::index_sequence<I...>) {
    if (bias != nullptr) {
      ((sums[I] = lanes<T>::all(bias[I / Columns])), ...);
    } else {
      ((sums[I] = lanes<T>{}), ...);
    }
  }

  template <auto RowStride, auto ColumnStride, std::size_t... I>
  [[gnu::always_inline]] void load(const lanes<T>* out, std::index_sequence<I...>) {
    ((sums[I] = out[at(I / Columns, RowStride) + at(I % Columns, ColumnStride)]), ...);
  }

  template <auto WeightStride, auto InStride, std::size_t... I>
  [[gnu::always_inline]] void multiply_add(const T* weights, const lanes<T>* in, std::index_sequence<I...>) {
    ((sums[I] += weights[at(I / Columns, WeightStride)] * in[at(I % Columns, InStride)]), ...);
  }

  template <auto RowStride, auto ColumnStride, std::size_t... I>
  [[gnu::always_inline]] void store(lanes<T>* out, std::index_sequence<I...>) const {
    ((out[at(I / Columns, RowStride) + at(I % Columns, ColumnStride)] = sums[I]), ...);
  }

  template <std::size_t... I>
  [[gnu::always_inline]] void load(const lanes<T>* out, std::ptrdiff_t row_stride, std::index_sequence<I...>) {
    ((sums[I] = out[at(I / Columns, row_stride) + at(I % Columns, 1)]), ...);
  }

  template <class WeightStride, std::size_t... I>
  [[gnu::always_inline]] void multiply_add(const T* weights, WeightStride weight_stride, const lanes<T>* columns,
                                           std::index_sequence<I...>) {
    ((sums[I] += weights[at(I / Columns, weight_stride)] * columns[I % Columns]), ...);
  }

  template <auto InStride, std::size_t... I>
  [[gnu::always_inline]] static void read_columns(const lanes<T>* in, lanes<T>* columns, std::index_sequence<I...>) {
    ((columns[I] = in[at(I, InStride)]), ...);
  }

  template <std::size_t... I>
  [[gnu::always_inline]] void store(lanes<T>* out, std::ptrdiff_t row_stride, std::index_sequence<I...>) const {
    ((out[at(I / Columns, row_stride) + at(I % Columns, 1)] = sums[I]), ...);
  }

  template <auto RowStride, std::size_t... I>
  [[gnu::always_inline]] void add_to_numbers(T* out, std::index_sequence<I...>) const {
    (add_lanes_to(out + at(I / Columns, RowStride) + at(I % Columns, lane_count), sums[I]), ...);
  }
};

}  // namespace impl

}  // namespace ipuflow::nn
