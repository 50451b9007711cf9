// SPDX-License-Identifier: BSL-1.0
// The shape of a convolution, which rows of one image touch which of the other, and how the result is shared out over
// tiles, forwards and in both gradients: all cuts of batch, rows and channels are tried, and the one with the fewest
// estimated cycles that fits is taken.
#pragma once

#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/cost/matmul_cost.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

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

  [[nodiscard]] constexpr std::size_t taps() const { return kernel_rows * kernel_columns; }
  /// Of one place of the input, at most: of a strided convolution not all taps meet it.
  [[nodiscard]] constexpr std::size_t taps_of_a_phase() const {
    return divided_up(kernel_rows, stride) * divided_up(kernel_columns, stride);
  }
  [[nodiscard]] constexpr std::size_t out_rows() const { return (rows + 2 * padding - kernel_rows) / stride + 1; }
  [[nodiscard]] constexpr std::size_t out_columns() const { return (columns + 2 * padding - kernel_columns) / stride + 1; }

  /// Rows of the input that rows [begin, end) of the output touch.
  [[nodiscard]] constexpr std::pair<std::size_t, std::size_t> input_rows(std::size_t begin, std::size_t end) const {
    const std::size_t first = begin * stride < padding ? 0 : begin * stride - padding;
    const std::size_t last = end == begin ? first
                                          : std::min(rows, (end - 1) * stride + kernel_rows < padding
                                                               ? 0
                                                               : (end - 1) * stride + kernel_rows - padding);
    return {std::min(first, last), last};
  }
  /// Rows of the output that rows [begin, end) of the input touch.
  [[nodiscard]] constexpr std::pair<std::size_t, std::size_t> output_rows(std::size_t begin, std::size_t end) const {
    const std::size_t first =
        begin + padding + 1 < kernel_rows ? 0 : divided_up(begin + padding + 1 - kernel_rows, stride);
    const std::size_t last = end == begin ? first : std::min(out_rows(), (end - 1 + padding) / stride + 1);
    return {std::min(first, last), last};
  }
  /// The most rows of the input that `count` rows of the output touch.
  [[nodiscard]] constexpr std::size_t rows_seen(std::size_t count) const {
    return std::min(rows, (count == 0 ? 0 : count - 1) * stride + kernel_rows);
  }
  /// The convolution that gives the gradient of the input: channels change places.
  [[nodiscard]] constexpr conv_shape turned() const {
    conv_shape t = *this;
    std::swap(t.in_channels, t.out_channels);
    return t;
  }
  friend constexpr bool operator==(const conv_shape&, const conv_shape&) = default;
};

namespace impl {

/// A plan says how a result is shared out. Where the channels that are summed over are cut, too, partial results are reduced.
struct conv_plan {
  std::size_t batch_parts = 1;
  std::size_t row_parts = 1;
  std::size_t channel_parts = 1;  // of each group
  std::size_t summed_parts = 1;   // likewise
  std::size_t group_parts = 1;    // fewer than groups only where there are more groups than tiles: then no group is cut
  cycles estimate{std::numeric_limits<std::uint64_t>::max()};
  bytes temporary{std::numeric_limits<std::uint64_t>::max()};
};

/// Fills in the cycles and bytes of a plan for results of `batch` x `rows` x `channels` (of a group).
template <class = void>
[[nodiscard]] constexpr conv_plan estimated(const architecture& chip, const conv_shape& s, std::size_t batch, std::size_t rows,
                                            std::size_t channels, conv_plan p) {
  const std::size_t size = operand_bytes(s.type);
  const std::size_t samples = divided_up(batch, p.batch_parts);
  const std::size_t high = divided_up(rows, p.row_parts);
  const std::size_t out = divided_up(channels, p.channel_parts);
  const std::size_t in = divided_up(s.in_channels / s.groups, p.summed_parts);
  const std::size_t groups = divided_up(s.groups, p.group_parts);
  const std::size_t seen = samples * groups * in * std::min(s.rows, high * s.stride + s.kernel_rows) * s.columns;
  const std::size_t weights = groups * out * in * s.taps();
  const std::size_t made = samples * groups * out * high * s.columns;
  const cycles once = chip.sync + chip.exchange_latency;
  p.estimate = alone(conv_cost(chip, {samples * high, s.columns, in, out, groups, s.taps(), s.type}), chip) + once * 2 +
               cycles{divided_up((seen + weights + divided_up(made, p.summed_parts)) * size, chip.exchange_width)};
  p.temporary = {(seen + weights + made) * size};
  if (p.summed_parts > 1) {
    const std::size_t partial = made * partial_bytes(s.type);
    p.estimate +=
        once + cycles{divided_up(partial, chip.exchange_width)} +
        alone(reduce_cost(chip, partial_type(s.type), p.summed_parts, divided_up(made, p.summed_parts)), chip);
    p.temporary += {2 * partial - made * size};
  }
  return p;
}

}  // namespace impl

/// The best plan whose blocks fit in `memory`; if none does, the one that needs least.
template <class = void>
[[nodiscard]] inline impl::conv_plan plan_convolution(const architecture& chip, const conv_shape& s, std::size_t batch,
                                                      std::size_t rows, std::size_t channels, std::size_t tiles,
                                                      bytes memory) {
  impl::conv_plan best;
  impl::conv_plan smallest;
  const std::size_t groups = std::min(tiles, s.groups);
  const std::size_t depth = divided_up(s.in_channels / s.groups, impl::array_of(chip, s.type).channels);
  const auto row_parts = impl::useful_parts(rows, tiles);
  const auto channel_parts = impl::useful_parts(channels, tiles);
  const auto summed_parts = impl::useful_parts(depth, tiles);
  for (const std::size_t b : impl::useful_parts(batch, tiles)) {
    for (const std::size_t r : row_parts) {
      if (b * r * groups > tiles) break;
      for (const std::size_t c : channel_parts) {
        if (b * r * c * groups > tiles) break;
        for (const std::size_t i : summed_parts) {
          if (b * r * c * i * groups > tiles) break;
          const impl::conv_plan tried = impl::estimated(chip, s, batch, rows, channels, {b, r, c, i, groups, {}, {}});
          if (tried.temporary < smallest.temporary) smallest = tried;
          if (tried.temporary <= memory && tried.estimate < best.estimate) best = tried;
        }
      }
    }
  }
  return best.temporary <= memory ? best : smallest;
}

namespace impl {

/// The array sums over places, in float: pairs of a tap and a channel are its rows, output channels its columns.
[[nodiscard]] constexpr vertex_cost weight_gradient_cost(const architecture& chip, const conv_shape& s, std::size_t in_channels,
                                                         std::size_t rows, std::size_t out_channels) {
  return matmul_cost(chip, {in_channels * s.taps(), rows * s.out_columns(), out_channels, 1,
                            s.type == amp_precision::half_half ? amp_precision::half_float : s.type});
}

/// A plan of the gradient of weights shares out pairs of channels, and for each the batch and rows that are summed over.
struct weight_gradient_plan {
  std::size_t out_parts = 1;
  std::size_t in_parts = 1;
  std::size_t batch_parts = 1;
  std::size_t row_parts = 1;  // of the output
  cycles estimate{std::numeric_limits<std::uint64_t>::max()};
  bytes temporary{std::numeric_limits<std::uint64_t>::max()};

  [[nodiscard]] constexpr std::size_t partials() const { return batch_parts * row_parts; }
};

/// Fills in the cycles and bytes of a plan.
template <class = void>
[[nodiscard]] constexpr weight_gradient_plan estimated(const architecture& chip, const conv_shape& s, weight_gradient_plan p) {
  const std::size_t size = operand_bytes(s.type);
  const std::size_t out = divided_up(s.out_channels, p.out_parts);
  const std::size_t in = divided_up(s.in_channels / s.groups, p.in_parts);
  const std::size_t samples = divided_up(s.batch, p.batch_parts);
  const std::size_t high = divided_up(s.out_rows(), p.row_parts);
  const std::size_t read = samples * (in * s.rows_seen(high) * s.columns + out * high * s.out_columns()) * size;
  const std::size_t sums = in * s.taps() * out;
  const cycles once = chip.sync + chip.exchange_latency;
  p.estimate = once + cycles{divided_up(read, chip.exchange_width)} +
               alone(weight_gradient_cost(chip, s, in, samples * high, out), chip);
  p.temporary = {read + sums * 4};
  if (p.partials() > 1) {
    const vertex_cost reduced = reduce_cost(chip, element_type::f32, p.partials(), divided_up(sums, p.partials()));
    p.estimate += once + cycles{divided_up(sums * 4, chip.exchange_width)} + chip.sync + alone(reduced, chip);
    p.temporary += {sums * 4};
  }
  return p;
}

}  // namespace impl

/// The best plan whose blocks fit in `memory`; if none does, the one that needs least. Channels of groups stay
/// together.
template <class = void>
[[nodiscard]] inline impl::weight_gradient_plan plan_weight_gradient(const architecture& chip, const conv_shape& s,
                                                                     std::size_t tiles, bytes memory) {
  impl::weight_gradient_plan best;
  impl::weight_gradient_plan smallest;
  const auto in_parts = s.groups == 1 ? impl::useful_parts(s.in_channels, tiles) : std::vector<std::size_t>{1};
  const auto out_parts = impl::useful_parts(s.out_channels, tiles);
  const auto batch_parts = impl::useful_parts(s.batch, tiles);
  const auto row_parts = impl::useful_parts(s.out_rows(), tiles);
  for (const std::size_t o : out_parts) {
    for (const std::size_t i : in_parts) {
      if (o * i > tiles) break;
      for (const std::size_t b : batch_parts) {
        if (o * i * b > tiles) break;
        for (const std::size_t r : row_parts) {
          if (o * i * b * r > tiles) break;
          const impl::weight_gradient_plan tried = impl::estimated(chip, s, {o, i, b, r, {}, {}});
          if (tried.temporary < smallest.temporary) smallest = tried;
          if (tried.temporary <= memory && tried.estimate < best.estimate) best = tried;
        }
      }
    }
  }
  return best.temporary <= memory ? best : smallest;
}

}  // namespace ipuflow::ipu
