// SPDX-License-Identifier: BSL-1.0
// The shape of a convolution, which rows of one image touch which of the other, and how the result is shared out over
// tiles: all cuts of batch, rows and channels are tried, and the one with the fewest estimated cycles that fits is
// taken.
#pragma once

#include <ipuflow/ipu/amp.hpp>
#include <ipuflow/ipu/arrange.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace ipuflow::ipu {

struct conv_shape {
  std::size_t batch = 1;
  std::size_t in_channels = 1;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t out_channels = 1;
  std::size_t kernel_rows = 1;
  std::size_t kernel_columns = 1;
  std::size_t stride = 1;
  std::size_t padding = 0;
  std::size_t groups = 1;
  precision type = precision::half_half;

  constexpr std::size_t out_rows() const { return (rows + 2 * padding - kernel_rows) / stride + 1; }
  constexpr std::size_t out_columns() const { return (columns + 2 * padding - kernel_columns) / stride + 1; }

  /// Rows of the input that rows [begin, end) of the output touch.
  constexpr std::pair<std::size_t, std::size_t> input_rows(std::size_t begin, std::size_t end) const {
    const std::size_t first = begin * stride < padding ? 0 : begin * stride - padding;
    const std::size_t last = end == begin ? first
                                          : std::min(rows, (end - 1) * stride + kernel_rows < padding
                                                               ? 0
                                                               : (end - 1) * stride + kernel_rows - padding);
    return {std::min(first, last), last};
  }
  /// Rows of the output that rows [begin, end) of the input touch.
  constexpr std::pair<std::size_t, std::size_t> output_rows(std::size_t begin, std::size_t end) const {
    const std::size_t first =
        begin + padding + 1 < kernel_rows ? 0 : divided_up(begin + padding + 1 - kernel_rows, stride);
    const std::size_t last = end == begin ? first : std::min(out_rows(), (end - 1 + padding) / stride + 1);
    return {std::min(first, last), last};
  }
  /// The convolution that gives the gradient of the input: channels change places.
  constexpr conv_shape turned() const {
    conv_shape t = *this;
    std::swap(t.in_channels, t.out_channels);
    return t;
  }
  friend constexpr bool operator==(const conv_shape&, const conv_shape&) = default;
};

struct conv_plan {
  std::size_t batch_parts = 1;
  std::size_t row_parts = 1;
  std::size_t channel_parts = 1;  // of each group
  cycles estimate{std::numeric_limits<std::uint64_t>::max()};
  bytes temporary;
};

/// Results of `batch` x `rows` x `channels` (of a group) shared out.
inline conv_plan plan_convolution(const architecture& chip, const conv_shape& s, std::size_t batch, std::size_t rows,
                                  std::size_t channels, std::size_t tiles, bytes memory) {
  conv_plan best;
  conv_plan smallest;
  smallest.temporary = {std::numeric_limits<std::uint64_t>::max()};
  const std::size_t taps = s.kernel_rows * s.kernel_columns;
  const std::size_t size = s.type == precision::float_float ? 4 : 2;
  const std::size_t in = s.in_channels / s.groups;
  for (const std::size_t b : useful_parts(batch, tiles)) {
    for (const std::size_t r : useful_parts(rows, tiles / b)) {
      for (const std::size_t c : useful_parts(channels, std::max<std::size_t>(1, tiles / (b * r * s.groups)))) {
        if (b * r * c * s.groups > std::max(tiles, s.groups)) break;
        const std::size_t samples = divided_up(batch, b);
        const std::size_t high = divided_up(rows, r);
        const std::size_t out = divided_up(channels, c);
        const std::size_t seen = samples * in * std::min(s.rows, high * s.stride + s.kernel_rows) * s.columns;
        const std::size_t weights = out * in * taps;
        const std::size_t made = samples * out * high * s.columns;
        const cycles compute = alone(conv_cost(chip, {samples * high, s.columns, in, out, 1, taps, s.type}), chip);
        conv_plan tried{b,
                        r,
                        c,
                        compute + cycles{divided_up((seen + weights + made) * size, chip.exchange_width)},
                        {(seen + weights + made) * size}};
        if (tried.temporary < smallest.temporary) smallest = tried;
        if (tried.temporary <= memory && tried.estimate < best.estimate) best = tried;
      }
    }
  }
  return best.temporary.value > 0 ? best : smallest;
}

}  // namespace ipuflow::ipu
