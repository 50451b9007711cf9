// SPDX-License-Identifier: BSL-1.0
// Products of matrices of one sample whose rows are positions. As `sample_rows` loads them, a matrix is [block][column] lanes that
// hold the positions of a block. The right operand is read one number at a time out of its lanes, so positions stay in lanes.
#pragma once

#include <ipuflow/nn/simd/register_block.hpp>
#include <ipuflow/nn/simd/transpose.hpp>

#include <algorithm>
#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// Products of `Rows` positions, of which each number is a sum of `Depth` products.
template <class W, std::size_t Rows, std::size_t Depth, std::size_t Columns>
struct position_product {
  /// out = left right, [Rows][Depth] by [Depth][Columns].
  static void run(const lanes<W>* left, const lanes<W>* right, lanes<W>* out) {
    for (std::size_t b = 0; b < groups_for(Rows); ++b, left += Depth, out += Columns) {
      for (std::size_t c = 0; c + at_once <= Columns; c += at_once) some_columns<at_once>(left, right + c, out + c);
      if constexpr (left_over > 0) some_columns<left_over>(left, right + Columns - left_over, out + Columns - left_over);
    }
  }

  /// The same with the right operand turned round: [Rows][Depth] by [Columns][Depth].
  static void run_turned(const lanes<W>* left, const lanes<W>* right, lanes<W>* out) {
    for (std::size_t b = 0; b < groups_for(Rows); ++b, left += Depth, out += Columns) {
      for (std::size_t c = 0; c < Columns; c += lane_count) {
        register_block<W, lane_count, 1> sums;
        sums.start(nullptr);
        const W* numbers = numbers_of(right + c / lane_count * Depth);
        for (std::size_t d = 0; d < Depth; ++d, numbers += lane_count) sums.template multiply_add<1, 1>(numbers, left + d);
        std::copy_n(sums.sums, std::min(lane_count, Columns - c), out + c);
      }
    }
  }

 private:
  static constexpr std::size_t at_once = std::min(Columns, accumulator_count * 2 / 3);
  static constexpr std::size_t left_over = Columns % at_once;

  static const W* numbers_of(const lanes<W>* column) { return reinterpret_cast<const W*>(column); }

  template <std::size_t Count>
  static void some_columns(const lanes<W>* left, const lanes<W>* right, lanes<W>* out) {
    register_block<W, Count, 1> sums;
    sums.start(nullptr);
    for (std::size_t d = 0; d < Depth; ++d) {
      const W* const row = numbers_of(right + d / lane_count * Columns) + d % lane_count;
      sums.template multiply_add<lane_count, 1>(row, left + d);
    }
    sums.template store<1, 1>(out);
  }
};

/// The matrix turned round: [Rows][Columns] becomes [Columns][Rows].
template <std::size_t Rows, std::size_t Columns, class W>
void turn_positions(const lanes<W>* from, lanes<W>* to) {
  for (std::size_t r = 0; r < Rows; r += lane_count) {
    for (std::size_t c = 0; c < Columns; c += lane_count) {
      lanes<W> square[lane_count]{};
      std::copy_n(from + r / lane_count * Columns + c, std::min(lane_count, Columns - c), square);
      transpose(square, square);
      std::copy_n(square, std::min(lane_count, Rows - r), to + c / lane_count * Rows + r);
    }
  }
}

}  // namespace impl

}  // namespace ipuflow::nn
