// SPDX-License-Identifier: BSL-1.0
// The gradient of a convolution for its weights: for each filter, channel and tap a sum over all positions and samples
// of gradient times pixel. A block of filters by taps stays in registers while the positions of some rows go by; the
// rows are so few that the filters' gradients stay in the cache while all channels pass.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/kernels/conv2d_shape.hpp>
#include <ipuflow/nn/kernels/correlation.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace impl {

template <conv2d_shape S, class T>
struct weight_gradient {
  static constexpr std::ptrdiff_t in_plane = S.height * S.width;
  static constexpr std::ptrdiff_t out_plane = S.out_height * S.out_width;

  /// Adds the gradients of one group of samples to `weights`.
  static void run(const lanes<T>* x, const lanes<T>* d_y, T* weights) {
    constexpr std::ptrdiff_t rows = rows_at_once();
    constexpr auto filters = static_cast<std::ptrdiff_t>(size.rows);
    constexpr std::ptrdiff_t tail = S.filters % filters;
    for (std::ptrdiff_t y = 0; y < S.out_height; y += rows) {
      const window_range chunk{y, algorithms::min(y + rows, S.out_height)};
      for (std::ptrdiff_t f = 0; f + filters <= S.filters; f += filters) channels<size.rows>(x, d_y, weights, f, chunk);
      if constexpr (tail > 0) channels<static_cast<std::size_t>(tail)>(x, d_y, weights, S.filters - tail, chunk);
    }
  }

 private:
  /// Taps of a row that are handled together: all of them, or the halves, thirds, ... of wide windows.
  static constexpr std::ptrdiff_t taps = [] {
    std::ptrdiff_t parts = 1;
    while ((S.kernel + parts - 1) / parts > 8) ++parts;
    return (S.kernel + parts - 1) / parts;
  }();
  static constexpr register_block_size size =
      best_register_block(static_cast<std::size_t>(S.filters),
                static_cast<std::size_t>((taps == S.kernel ? S.channels : 1) * taps), static_cast<std::size_t>(taps));
  static constexpr std::ptrdiff_t channels_at_once = static_cast<std::ptrdiff_t>(size.columns) / taps;

  static constexpr std::ptrdiff_t rows_at_once() {
    constexpr std::ptrdiff_t cache = 128 * 1024;
    const auto row = static_cast<std::ptrdiff_t>(size.rows * sizeof(lanes<T>)) * S.out_width;
    return algorithms::clamp(cache / row, std::ptrdiff_t{1}, S.out_height);
  }

  template <std::size_t Filters>
  static void channels(const lanes<T>* x, const lanes<T>* d_y, T* weights, std::ptrdiff_t f, window_range rows) {
    constexpr std::ptrdiff_t tail = S.channels % channels_at_once;
    for (std::ptrdiff_t c = 0; c + channels_at_once <= S.channels; c += channels_at_once) {
      window_rows<Filters, channels_at_once>(x, d_y, weights, f, c, rows);
    }
    if constexpr (tail > 0) window_rows<Filters, tail>(x, d_y, weights, f, S.channels - tail, rows);
  }

  template <std::size_t Filters, std::ptrdiff_t Channels>
  static void window_rows(const lanes<T>* x, const lanes<T>* d_y, T* weights, std::ptrdiff_t f, std::ptrdiff_t c,
                          window_range rows) {
    constexpr std::ptrdiff_t tail = S.kernel % taps;
    for (std::ptrdiff_t ky = 0; ky < S.kernel; ++ky) {
      for (std::ptrdiff_t kx = 0; kx + taps <= S.kernel; kx += taps) {
        block<Filters, Channels, taps>(x, d_y, weights, f, c, ky, kx, rows);
      }
      if constexpr (tail > 0) block<Filters, Channels, tail>(x, d_y, weights, f, c, ky, S.kernel - tail, rows);
    }
  }

  template <std::size_t Filters, std::ptrdiff_t Channels, std::ptrdiff_t Taps>
  static void block(const lanes<T>* x, const lanes<T>* d_y, T* weights, std::ptrdiff_t f, std::ptrdiff_t c,
                    std::ptrdiff_t ky, std::ptrdiff_t kx, window_range rows) {
    constexpr auto all = std::make_index_sequence<Filters* static_cast<std::size_t>(Channels * Taps)>{};
    const std::ptrdiff_t left = kx - S.padding;
    const std::ptrdiff_t inside = algorithms::clamp((-left + S.stride - 1) / S.stride, std::ptrdiff_t{0}, S.out_width);
    const std::ptrdiff_t room = S.width - Taps - left;
    const std::ptrdiff_t outside = algorithms::clamp(room < 0 ? 0 : room / S.stride + 1, inside, S.out_width);
    lanes<T> sums[Filters * static_cast<std::size_t>(Channels * Taps)]{};
    for (std::ptrdiff_t y = rows.first; y < rows.last; ++y) {
      const std::ptrdiff_t in_y = y * S.stride - S.padding + ky;
      if (in_y < 0 || in_y >= S.height) continue;
      const lanes<T>* gradients = d_y + f * out_plane + y * S.out_width;
      const lanes<T>* pixels = x + c * in_plane + in_y * S.width;
      for (std::ptrdiff_t at = 0; at < inside; ++at) {
        edge<Channels, Taps>(sums, gradients + at, pixels, at * S.stride + left, all);
      }
      for (std::ptrdiff_t at = inside; at < outside; ++at) {
        multiply_add<Channels, Taps>(sums, gradients + at, pixels + at * S.stride + left, all);
      }
      for (std::ptrdiff_t at = outside; at < S.out_width; ++at) {
        edge<Channels, Taps>(sums, gradients + at, pixels, at * S.stride + left, all);
      }
    }
    add_sums<Channels, Taps>(weights + ((f * S.channels + c) * S.kernel + ky) * S.kernel + kx, sums, all);
  }

  /// Sum number i belongs to filter i / (Channels * Taps), channel i / Taps % Channels, tap i % Taps.
  template <std::ptrdiff_t Channels, std::ptrdiff_t Taps, std::size_t... I>
  [[gnu::always_inline]] static void multiply_add(lanes<T>* sums, const lanes<T>* gradient, const lanes<T>* pixel,
                                                  std::index_sequence<I...>) {
    constexpr auto i = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
    ((sums[I] +=
      gradient[i(I) / (Channels * Taps) * out_plane] * pixel[i(I) / Taps % Channels * in_plane + i(I) % Taps]),
     ...);
  }

  template <std::ptrdiff_t Channels, std::ptrdiff_t Taps, std::size_t... I>
  [[gnu::always_inline]] static void edge(lanes<T>* sums, const lanes<T>* gradient, const lanes<T>* row,
                                          std::ptrdiff_t left, std::index_sequence<I...>) {
    constexpr auto i = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
    ((left + i(I) % Taps >= 0 && left + i(I) % Taps < S.width
          ? (void)(sums[I] += gradient[i(I) / (Channels * Taps) * out_plane] *
                              row[i(I) / Taps % Channels * in_plane + left + i(I) % Taps])
          : void()),
     ...);
  }

  template <std::ptrdiff_t Channels, std::ptrdiff_t Taps, std::size_t... I>
  [[gnu::always_inline]] static void add_sums(T* weights, const lanes<T>* sums, std::index_sequence<I...>) {
    constexpr auto i = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
    (add_to(
         weights[(i(I) / (Channels * Taps) * S.channels + i(I) / Taps % Channels) * S.kernel * S.kernel + i(I) % Taps],
         sum(sums[I])),
     ...);
  }
};

/// Adds the sum of each filter's gradients to its bias.
template <conv2d_shape S, class T>
void add_plane_sums(const lanes<T>* d_y, T* biases) {
  constexpr std::ptrdiff_t pixels = S.out_height * S.out_width;
  for (std::ptrdiff_t f = 0; f < S.filters; ++f) {
    lanes<T> even{}, odd{};  // two chains: an addition takes four cycles
    std::ptrdiff_t at = 0;
    for (; at + 2 <= pixels; at += 2) {
      even += d_y[f * pixels + at];
      odd += d_y[f * pixels + at + 1];
    }
    if (at < pixels) even += d_y[f * pixels + at];
    add_to(biases[f], sum(even + odd));
  }
}

}  // namespace impl

}  // namespace ipuflow::nn
