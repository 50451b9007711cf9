// SPDX-License-Identifier: BSL-1.0
// A tile's part of a convolution, computed on the host in float, and its codelets: some of the samples, rows and
// channels. The inner loops run along rows of the image, so that a compiler makes vectors of them.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/half_span.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/weight_gradient_plan.hpp>
#include <ipuflow/ipu/program/codelet.hpp>

#include <cstddef>

namespace ipuflow::ipu {

namespace impl {

/// Rows [in_row, + in_rows) of the input and [out_row, + out_rows) of the output of some channels of each.
struct conv_block {
  conv_shape shape;
  std::size_t samples = 0;
  std::size_t in_row = 0, in_rows = 0, in_channels = 0;
  std::size_t out_row = 0, out_rows = 0, out_channels = 0;
  std::size_t first_out_channel = 0, first_group = 0;  // of the gradient of weights, whose channels may cross groups
  std::size_t groups = 1;                              // of a convolution, whose channels are those of whole groups or of one
  conv_method method = conv_method::array;             // likewise

  /// Of the weights that the block gives the gradient of: without groups, the input channels may be a part of all.
  constexpr std::size_t in_channels_of_a_group() const {
    return shape.groups == 1 ? in_channels : shape.in_channels / shape.groups;
  }

  friend constexpr bool operator==(const conv_block&, const conv_block&) = default;
};

/// The same block as rows that are as long as they can be: of one tap, positions are one row.
constexpr conv_block with_long_rows(conv_block b) {
  if (b.shape.taps() != 1 || b.shape.stride != 1 || b.shape.padding != 0) return b;
  b.shape.columns *= b.out_rows;
  b.shape.rows = b.in_rows = b.out_rows = 1;
  b.in_row = b.out_row = 0;
  return b;
}

/// Calls `visit(out row, out column range, in row, first in column)` for every row of both images that a tap joins.
template <class Visit>
void for_each_row(const conv_block& b, std::size_t ky, std::size_t kx, Visit&& visit) {
  const conv_shape& s = b.shape;
  const std::size_t begin = kx >= s.padding ? 0 : divided_up(s.padding - kx, s.stride);
  const std::size_t room = s.columns + s.padding;  // in column = out column * stride + kx - padding < columns
  const std::size_t end = room <= kx ? 0 : algorithms::min(s.out_columns(), (room - kx - 1) / s.stride + 1);
  if (end <= begin) return;
  for (std::size_t y = 0; y < b.out_rows; ++y) {
    const std::size_t at = (b.out_row + y) * s.stride + ky;
    if (at < s.padding + b.in_row || at - s.padding >= b.in_row + b.in_rows) continue;
    visit(y, begin, end, at - s.padding - b.in_row, begin * s.stride + kx - s.padding);
  }
}

/// y += x * w, all of the block's channels; weights are [out, in of the group, taps].
template <class = void>
inline void convolve(const conv_block& block, const float* x, const float* w, float* y) {
  const conv_block b = with_long_rows(block);
  const conv_shape& s = b.shape;
  const std::size_t seen = b.in_channels / b.groups;
  for (std::size_t n = 0; n < b.samples; ++n) {
    for (std::size_t o = 0; o < b.out_channels; ++o) {
      float* out = y + (n * b.out_channels + o) * b.out_rows * s.out_columns();
      const float* group = x + (n * b.in_channels + o * b.groups / b.out_channels * seen) * b.in_rows * s.columns;
      for (std::size_t c = 0; c < seen; ++c) {
        const float* in = group + c * b.in_rows * s.columns;
        for (std::size_t ky = 0; ky < s.kernel_rows; ++ky) {
          for (std::size_t kx = 0; kx < s.kernel_columns; ++kx) {
            const float weight = w[((o * seen + c) * s.kernel_rows + ky) * s.kernel_columns + kx];
            for_each_row(
                b, ky, kx,
                [&](std::size_t row, std::size_t begin, std::size_t end, std::size_t in_row, std::size_t column) {
                  float* to = out + row * s.out_columns();
                  const float* from = in + in_row * s.columns + column;
                  for (std::size_t i = begin; i < end; ++i) to[i] += weight * from[(i - begin) * s.stride];
                });
          }
        }
      }
    }
  }
}

/// dx += dy * w; weights as forward.
template <class = void>
inline void convolve_back(const conv_block& block, const float* dy, const float* w, float* dx) {
  const conv_block b = with_long_rows(block);
  const conv_shape& s = b.shape;
  const std::size_t seen = b.in_channels / b.groups;
  for (std::size_t n = 0; n < b.samples; ++n) {
    for (std::size_t o = 0; o < b.out_channels; ++o) {
      const float* out = dy + (n * b.out_channels + o) * b.out_rows * s.out_columns();
      float* group = dx + (n * b.in_channels + o * b.groups / b.out_channels * seen) * b.in_rows * s.columns;
      for (std::size_t c = 0; c < seen; ++c) {
        float* in = group + c * b.in_rows * s.columns;
        for (std::size_t ky = 0; ky < s.kernel_rows; ++ky) {
          for (std::size_t kx = 0; kx < s.kernel_columns; ++kx) {
            const float weight = w[((o * seen + c) * s.kernel_rows + ky) * s.kernel_columns + kx];
            for_each_row(
                b, ky, kx,
                [&](std::size_t row, std::size_t begin, std::size_t end, std::size_t in_row, std::size_t column) {
                  const float* from = out + row * s.out_columns();
                  float* to = in + in_row * s.columns + column;
                  for (std::size_t i = begin; i < end; ++i) to[(i - begin) * s.stride] += weight * from[i];
                });
          }
        }
      }
    }
  }
}

/// dw += dy * x, summed over samples and places.
template <class = void>
inline void convolve_weights(const conv_block& block, const float* x, const float* dy, float* dw) {
  const conv_block b = with_long_rows(block);
  const conv_shape& s = b.shape;
  const std::size_t per_group = b.in_channels_of_a_group();
  for (std::size_t n = 0; n < b.samples; ++n) {
    for (std::size_t o = 0; o < b.out_channels; ++o) {
      const float* out = dy + (n * b.out_channels + o) * b.out_rows * s.out_columns();
      const std::size_t group = (b.first_out_channel + o) / (s.out_channels / s.groups) - b.first_group;
      for (std::size_t c = 0; c < per_group; ++c) {
        const float* in = x + (n * b.in_channels + group * per_group + c) * b.in_rows * s.columns;
        for (std::size_t ky = 0; ky < s.kernel_rows; ++ky) {
          for (std::size_t kx = 0; kx < s.kernel_columns; ++kx) {
            float sum = 0;
            for_each_row(
                b, ky, kx,
                [&](std::size_t row, std::size_t begin, std::size_t end, std::size_t in_row, std::size_t column) {
                  const float* from = out + row * s.out_columns();
                  const float* seen = in + in_row * s.columns + column;
                  for (std::size_t i = begin; i < end; ++i) sum += from[i] * seen[(i - begin) * s.stride];
                });
            dw[((o * per_group + c) * s.kernel_rows + ky) * s.kernel_columns + kx] += sum;
          }
        }
      }
    }
  }
}

/// The work for a block of the output.
constexpr conv_work forward_work(const conv_block& b) {
  return work_of(b.shape, b.samples, b.out_rows, b.in_channels / b.groups, b.out_channels / b.groups, b.groups);
}

/// And for the gradient of a block of the input.
constexpr conv_work backward_work(const conv_block& b) {
  return work_of(b.shape.turned(), b.samples, b.in_rows, b.out_channels / b.groups, b.in_channels / b.groups, b.groups);
}

/// A codelet (seen, weights, room for copies, made) around `kernel(block, seen, weights, made)`, whose fields are the block; its cost
/// is that of the block's method for `work(block)`.
template <class Kernel, class Work>
codelet conv_codelet(element_type type, element_type sums, bytes code, Kernel kernel, Work work) {
  return with_real(type, [&](auto element) {
    return with_real(sums, [&](auto sum) {
      using type_of = decltype(element);
      return codelet(
          name_from("convolution"), code,
          [kernel](const conv_block& b, std::span<const type_of> seen, std::span<const type_of> weights, std::span<type_of>,
                   std::span<decltype(sum)> made) {
            light_vector<float> x(seen.size()), w(weights.size()), y(made.size(), 0.0f);
            widen(seen, x.data());
            widen(weights, w.data());
            kernel(b, x.data(), w.data(), y.data());
            narrow(y.data(), made);
          },
          [work](const architecture& chip, lengths, const conv_block& b) { return conv_cost(chip, work(b), b.method); });
    });
  });
}

/// The gradient of a block's weights; partial sums may be halves.
template <class = void>
inline codelet weight_gradient_codelet(element_type type, element_type sums, bytes code) {
  return with_real(type, [&](auto element) {
    return with_real(sums, [&](auto sum) {
      using type_of = decltype(element);
      return codelet(
          name_from("convolution of weights"), code,
          [](const conv_block& b, std::span<const type_of> seen, std::span<const type_of> slope,
             std::span<type_of>, std::span<decltype(sum)> made) {
            light_vector<float> x(seen.size()), dy(slope.size()), dw(made.size(), 0.0f);
            widen(seen, x.data());
            widen(slope, dy.data());
            convolve_weights(b, x.data(), dy.data(), dw.data());
            narrow(dw.data(), made);
          },
          [](const architecture& chip, lengths, const conv_block& b) {
            return weight_gradient_cost(chip, b.shape, b.in_channels_of_a_group(), b.samples * b.out_rows,
                                        b.out_channels);
          });
    });
  });
}

}  // namespace impl

}  // namespace ipuflow::ipu
