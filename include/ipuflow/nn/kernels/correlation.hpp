// SPDX-License-Identifier: BSL-1.0
// The one loop nest behind a convolution and its gradient for inputs: every output position is a weighted sum over
// channels and a window of the input. The gradient of a convolution is the same with channels swapped, the window
// mirrored and, where the stride is s, s*s times for every s-th row and column. A `correlation` says all of that in
// numbers.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/simd/register_block.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// Positions are signed: the window of the first output may begin in the padding.
struct correlation {
  std::ptrdiff_t outputs = 0, inputs = 0;  // channels written, channels summed over
  std::ptrdiff_t window_height = 0, window_width = 0;
  std::ptrdiff_t in_height = 0, in_width = 0;
  std::ptrdiff_t out_height = 0, out_width = 0;                            // positions computed
  std::ptrdiff_t in_step = 1, in_top = 0, in_left = 0;                     // window of position (y, x) begins here
  std::ptrdiff_t out_plane = 0, out_row = 0, out_step = 1, out_first = 0;  // where position (y, x) is written
  std::ptrdiff_t weight_output = 0, weight_input = 0, weight_row = 0, weight_column = 0, weight_first = 0;

  constexpr bool is_empty() const { return out_height <= 0 || out_width <= 0; }

  /// Positions whose window lies inside the row: [first, last).
  constexpr std::ptrdiff_t first_inside() const {
    return in_left >= 0 ? 0 : algorithms::min(out_width, (-in_left + in_step - 1) / in_step);
  }
  constexpr std::ptrdiff_t last_inside() const {
    const std::ptrdiff_t room = in_width - window_width - in_left;
    return algorithms::clamp(room < 0 ? 0 : room / in_step + 1, first_inside(), out_width);
  }
};

/// The part of a window that is inside the input.
struct window_range {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;
};

constexpr window_range clipped(std::ptrdiff_t begin, std::ptrdiff_t length, std::ptrdiff_t limit) {
  return {begin < 0 ? -begin : 0, begin + length > limit ? limit - begin : length};
}

template <correlation C, class T>
struct correlator {
  static constexpr std::ptrdiff_t left_edge = C.first_inside();
  static constexpr std::ptrdiff_t right_edge = C.last_inside();
  static constexpr register_block_size size =
      best_register_block(static_cast<std::size_t>(C.outputs), static_cast<std::size_t>(right_edge - left_edge));

  /// One group: all outputs at all positions.
  static void run(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out) {
    constexpr auto rows = static_cast<std::ptrdiff_t>(size.rows);
    constexpr std::ptrdiff_t tail = C.outputs % rows;
    for (std::ptrdiff_t y = 0; y < C.out_height; ++y) {
      for (std::ptrdiff_t output = 0; output + rows <= C.outputs; output += rows) {
        row<size.rows>(weights, bias, in, out, output, y);
      }
      if constexpr (tail > 0) row<static_cast<std::size_t>(tail)>(weights, bias, in, out, C.outputs - tail, y);
    }
  }

 private:
  /// `Rows` outputs at one row of positions.
  template <std::size_t Rows>
  static void row(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out, std::ptrdiff_t output,
                  std::ptrdiff_t y) {
    constexpr auto columns = static_cast<std::ptrdiff_t>(size.columns);
    constexpr std::ptrdiff_t tail = (right_edge - left_edge) % columns;
    const T* from = weights + C.weight_first + output * C.weight_output;
    const T* start = bias == nullptr ? nullptr : bias + output;
    lanes<T>* to = out + C.out_first + output * C.out_plane + y * C.out_row;
    const auto edge = [&](std::ptrdiff_t x) {
      block<Rows, 1>(from, start, in, to, y, x, clipped(x * C.in_step + C.in_left, C.window_width, C.in_width));
    };
    for (std::ptrdiff_t x = 0; x < left_edge; ++x) edge(x);
    constexpr window_range whole{0, C.window_width};
    for (std::ptrdiff_t x = left_edge; x + columns <= right_edge; x += columns) {
      block<Rows, size.columns>(from, start, in, to, y, x, whole);
    }
    if constexpr (tail > 0) {
      block<Rows, static_cast<std::size_t>(tail)>(from, start, in, to, y, right_edge - tail, whole);
    }
    for (std::ptrdiff_t x = right_edge; x < C.out_width; ++x) edge(x);
  }

  template <std::size_t Rows, std::size_t Columns>
  [[gnu::always_inline]] static void block(const T* weights, const T* bias, const lanes<T>* in, lanes<T>* out,
                                           std::ptrdiff_t y, std::ptrdiff_t x, window_range across) {
    const std::ptrdiff_t top = y * C.in_step + C.in_top;
    const std::ptrdiff_t left = x * C.in_step + C.in_left;
    const window_range down = clipped(top, C.window_height, C.in_height);
    register_block<T, Rows, Columns> sums;
    sums.start(bias);
    for (std::ptrdiff_t channel = 0; channel < C.inputs; ++channel) {
      for (std::ptrdiff_t ky = down.first; ky < down.last; ++ky) {
        const T* weight = weights + channel * C.weight_input + ky * C.weight_row;
        const lanes<T>* pixels = in + (channel * C.in_height + top + ky) * C.in_width;
        for (std::ptrdiff_t kx = across.first; kx < across.last; ++kx) {
          sums.template multiply_add<C.weight_output, C.in_step>(weight + kx * C.weight_column, pixels + left + kx);
        }
      }
    }
    sums.template store<C.out_plane, C.out_step>(out + x * C.out_step);
  }
};

}  // namespace impl

}  // namespace ipuflow::nn
