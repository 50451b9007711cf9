// SPDX-License-Identifier: BSL-1.0
// One group of a convolution in numbers, and the correlations that it and its gradient for inputs are. Where the stride
// is s, an input pixel is reached only by every s-th tap; pixels with the same taps lie s apart and make one
// correlation.
#pragma once

#include <ipuflow/nn/kernels/correlation.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// One of the layer's groups in numbers.
struct conv2d_shape {
  std::ptrdiff_t filters = 0, channels = 0, kernel = 0, stride = 1, padding = 0;
  std::ptrdiff_t height = 0, width = 0, out_height = 0, out_width = 0;

  constexpr std::size_t weights() const { return static_cast<std::size_t>(filters * channels * kernel * kernel); }
  constexpr std::size_t in_elements() const { return static_cast<std::size_t>(channels * height * width); }
  constexpr std::size_t out_elements() const { return static_cast<std::size_t>(filters * out_height * out_width); }
};

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, std::size_t C, std::size_t H,
          std::size_t W>
constexpr conv2d_shape conv_shape_of() {
  const auto number = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  return {number(F / G),
          number(C / G),
          number(K),
          number(S),
          number(P),
          number(H),
          number(W),
          number((H + 2 * P - K) / S + 1),
          number((W + 2 * P - K) / S + 1)};
}

/// The forward pass of one of the layer's groups.
constexpr correlation forward_correlation(const conv2d_shape& s) {
  return {.outputs = s.filters,
          .inputs = s.channels,
          .window_height = s.kernel,
          .window_width = s.kernel,
          .in_height = s.height,
          .in_width = s.width,
          .out_height = s.out_height,
          .out_width = s.out_width,
          .in_step = s.stride,
          .in_top = -s.padding,
          .in_left = -s.padding,
          .out_plane = s.out_height * s.out_width,
          .out_row = s.out_width,
          .weight_output = s.channels * s.kernel * s.kernel,
          .weight_input = s.kernel * s.kernel,
          .weight_row = s.kernel,
          .weight_column = 1};
}

/// One axis of the gradient: input positions first, first + stride, ..., and the taps that reach them.
struct gradient_axis {
  std::ptrdiff_t first = 0, count = 0, taps = 0, begin = 0;
};
constexpr gradient_axis axis_of(const conv2d_shape& s, std::ptrdiff_t phase, std::ptrdiff_t extent) {
  const std::ptrdiff_t skipped = s.padding > phase ? (s.padding - phase + s.stride - 1) / s.stride : 0;
  const std::ptrdiff_t first = s.stride * skipped + phase - s.padding;
  const std::ptrdiff_t taps = s.kernel > phase ? (s.kernel - phase + s.stride - 1) / s.stride : 0;
  return {first, first < extent ? (extent - first + s.stride - 1) / s.stride : 0, taps, skipped - taps + 1};
}

/// The gradient for those input pixels that lie `row` and `column` behind a multiple of the stride, padding counted.
constexpr correlation input_correlation(const conv2d_shape& s, std::ptrdiff_t row, std::ptrdiff_t column) {
  const gradient_axis y = axis_of(s, row, s.height);
  const gradient_axis x = axis_of(s, column, s.width);
  const std::ptrdiff_t last_tap = (row + s.stride * (y.taps - 1)) * s.kernel + column + s.stride * (x.taps - 1);
  return {.outputs = s.channels,
          .inputs = s.filters,
          .window_height = y.taps,
          .window_width = x.taps,
          .in_height = s.out_height,
          .in_width = s.out_width,
          .out_height = y.count,
          .out_width = x.count,
          .in_step = 1,
          .in_top = y.begin,
          .in_left = x.begin,
          .out_plane = s.height * s.width,
          .out_row = s.stride * s.width,
          .out_step = s.stride,
          .out_first = y.first * s.width + x.first,
          .weight_output = s.kernel * s.kernel,
          .weight_input = s.channels * s.kernel * s.kernel,
          .weight_row = -s.stride * s.kernel,
          .weight_column = -s.stride,
          .weight_first = last_tap};
}

}  // namespace impl

}  // namespace ipuflow::nn
