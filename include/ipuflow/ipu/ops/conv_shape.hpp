// SPDX-License-Identifier: BSL-1.0
// The shape of a convolution of images: sizes, which rows of one image touch which of the other, the shape of the gradient of
// its input, and the simplest shape that gives the same products.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// The sizes of a convolution of images.
struct conv_shape {
  std::size_t batch = 1;                          ///< images
  std::size_t in_channels = 1;                    ///< of an image
  std::size_t rows = 0;                           ///< of an image
  std::size_t columns = 0;                        ///< of an image
  std::size_t out_channels = 1;                   ///< of the result
  std::size_t kernel_rows = 1;                    ///< of the window
  std::size_t kernel_columns = 1;                 ///< of the window
  std::size_t stride = 1;                         ///< pixels from window to window, both ways
  std::size_t padding = 0;                        ///< zeros on each side, both ways
  std::size_t groups = 1;                         ///< of channels, each convolved for itself
  amp_precision type = amp_precision::half_half;  ///< of factors and sums
  bool turned_round = false;                      ///< the gradient of its input: made are `rows`, read are `out_rows()`

  [[nodiscard]] constexpr std::size_t taps() const { return kernel_rows * kernel_columns; }
  [[nodiscard]] constexpr std::size_t out_rows() const { return (rows + 2 * padding - kernel_rows) / stride + 1; }
  [[nodiscard]] constexpr std::size_t out_columns() const { return (columns + 2 * padding - kernel_columns) / stride + 1; }

  /// Rows of the input that rows [begin, end) of the output touch.
  [[nodiscard]] constexpr light_pair<std::size_t, std::size_t> input_rows(std::size_t begin, std::size_t end) const {
    const std::size_t first = begin * stride < padding ? 0 : begin * stride - padding;
    const std::size_t last = end == begin ? first
                                          : algorithms::min(rows, (end - 1) * stride + kernel_rows < padding
                                                               ? 0
                                                               : (end - 1) * stride + kernel_rows - padding);
    return {algorithms::min(first, last), last};
  }
  /// Rows of the output that rows [begin, end) of the input touch.
  [[nodiscard]] constexpr light_pair<std::size_t, std::size_t> output_rows(std::size_t begin, std::size_t end) const {
    const std::size_t first =
        begin + padding + 1 < kernel_rows ? 0 : divided_up(begin + padding + 1 - kernel_rows, stride);
    const std::size_t last = end == begin ? first : algorithms::min(out_rows(), (end - 1 + padding) / stride + 1);
    return {algorithms::min(first, last), last};
  }
  /// The most rows of the input that `count` rows of the output touch.
  [[nodiscard]] constexpr std::size_t rows_seen(std::size_t count) const {
    return algorithms::min(rows, (count == 0 ? 0 : count - 1) * stride + kernel_rows);
  }
  /// Columns of the image that is made.
  [[nodiscard]] constexpr std::size_t made_columns() const { return turned_round ? columns : out_columns(); }
  /// Of the image that is read.
  [[nodiscard]] constexpr std::size_t seen_columns() const { return turned_round ? out_columns() : columns; }
  /// Rows of it.
  [[nodiscard]] constexpr std::size_t seen_rows() const { return turned_round ? out_rows() : rows; }
  /// Those that are read for rows [begin, end) that are made.
  [[nodiscard]] constexpr light_pair<std::size_t, std::size_t> seen_by(std::size_t begin, std::size_t end) const {
    return turned_round ? output_rows(begin, end) : input_rows(begin, end);
  }
  /// The most rows that are read for `count` rows that are made.
  [[nodiscard]] constexpr std::size_t seen_for(std::size_t count) const {
    return turned_round ? algorithms::min(out_rows(), divided_up(count + kernel_rows - 1, stride)) : rows_seen(count);
  }
  /// The convolution that gives the gradient of the input: channels change places.
  [[nodiscard]] constexpr conv_shape turned() const {
    conv_shape t = *this;
    algorithms::swap(t.in_channels, t.out_channels);
    t.turned_round = !turned_round;
    return t;
  }
  /// True if it reads a part of the pixels only, each once: then these are picked out, or put back, where the image is.
  [[nodiscard]] constexpr bool picks() const { return taps() == 1 && padding == 0 && stride > 1; }
  /// Elements of the image that a tile has to have side by side, so that those picked of them are whole words: rows of it, or
  /// planes where these end within a stride. None if any will do.
  [[nodiscard]] constexpr std::size_t picked_together() const {
    if (!picks() || type == amp_precision::float_float || (stride == 2 && out_columns() % 2 == 0)) return 0;
    const bool by_rows = rows % stride == 0;
    const std::size_t picked = by_rows ? out_columns() : out_rows() * out_columns();
    return (by_rows ? stride : rows) * columns * (picked % 2 == 0 ? 1 : 2);
  }
  /// The convolution of what was picked. Of one tap, it may have rows of any length: shorter ones are cut more evenly, if they
  /// are words still.
  [[nodiscard]] constexpr conv_shape simplified() const {
    if (taps() != 1 || padding != 0) return *this;
    conv_shape t = *this;
    const std::size_t places = out_rows() * out_columns();
    t.columns = 16;  // at most, as are channels of a pass
    while (places % t.columns != 0) t.columns /= 2;
    if (t.columns == 1) t.columns = out_columns();
    t.rows = places / t.columns;
    t.stride = 1;
    return t;
  }
  friend constexpr bool operator==(const conv_shape&, const conv_shape&) = default;
};

}  // namespace ipuflow::ipu
