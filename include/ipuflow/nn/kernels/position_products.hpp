// SPDX-License-Identifier: BSL-1.0
// Products of matrices of one sample whose rows are positions. A matrix is [block][column] lanes, which hold the positions of a block;
// those behind the last one are zero. The right operand is read one number at a time out of its lanes, so positions stay in lanes.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/register_block.hpp>
#include <ipuflow/nn/simd/transpose.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// Some columns of one sample of a sequence as such a matrix. Vectors move whole where every sample begins with one.
template <class T, std::size_t Positions, std::size_t Columns>
struct position_columns {
  using number_type = std::remove_const_t<T>;
  using wide = wide_number<T>;
  static constexpr std::size_t blocks = groups_for(Positions);

  batch<T, shape<Positions, Columns>> of;
  std::size_t sample = 0;

  template <std::size_t Width>
  void load(std::size_t column, wide scale, lanes<wide>* to) const {
    for (std::size_t i = 0; i < blocks * Width; ++i) {
      const std::size_t block = i / Width, from = column + i % Width;
      if constexpr (whole_vectors) {
        to[i] = scale * widened(of[vector_of(block, from)]);
      } else {
        lanes<wide> read{};
        for (std::size_t l = 0; l < rows_of_block(block); ++l) {
          const lane_place at = place_of(block, l, from);
          read.set(l, static_cast<wide>(of[at.vector][at.lane]));
        }
        to[i] = scale * read;
      }
    }
  }

  template <std::size_t Width>
  void store(std::size_t column, const lanes<wide>* from) const {
    for (std::size_t i = 0; i < blocks * Width; ++i) {
      const std::size_t block = i / Width, to = column + i % Width;
      const lanes<number_type> made = narrowed<number_type>(from[i]);
      if constexpr (whole_vectors) {
        of[vector_of(block, to)] = made;
      } else {
        for (std::size_t l = 0; l < rows_of_block(block); ++l) {
          const lane_place at = place_of(block, l, to);
          of[at.vector].set(at.lane, made[l]);
        }
      }
    }
  }

 private:
  static constexpr bool whole_vectors = Positions % lane_count == 0;

  static constexpr std::size_t rows_of_block(std::size_t block) { return algorithms::min(lane_count, Positions - block * lane_count); }
  std::size_t vector_of(std::size_t block, std::size_t column) const { return (sample * blocks + block) * Columns + column; }
  lane_place place_of(std::size_t block, std::size_t lane, std::size_t column) const {
    return of.place_of(sample, (block * lane_count + lane) * Columns + column);
  }
};

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
        algorithms::copy_n(sums.sums, algorithms::min(lane_count, Columns - c), out + c);
      }
    }
  }

 private:
  static constexpr std::size_t at_once = algorithms::min(Columns, accumulator_count * 2 / 3);
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
      algorithms::copy_n(from + r / lane_count * Columns + c, algorithms::min(lane_count, Columns - c), square);
      transpose(square, square);
      algorithms::copy_n(square, algorithms::min(lane_count, Rows - r), to + c / lane_count * Rows + r);
    }
  }
}

}  // namespace impl

}  // namespace ipuflow::nn
