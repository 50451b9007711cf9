// SPDX-License-Identifier: BSL-1.0
// What pooling computes. Of several equal maxima the first in its square gets the gradient, as in PyTorch.
#pragma once

#include <ipuflow/nn/kernels/correlation.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>

namespace ipuflow::nn {

/// Calls `visit(first pixel of the square inside the plane, rows, columns, output)` for each output of a group.
template <std::size_t Size, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W>
struct squares {
  static constexpr std::size_t out_height = (H + 2 * P - Size) / S + 1;
  static constexpr std::size_t out_width = (W + 2 * P - Size) / S + 1;
  /// Squares that cover every pixel once at most: gradients need no sum.
  static constexpr bool apart = S >= Size;
  static constexpr bool covering = S == Size && P == 0 && H % S == 0 && W % S == 0;

  template <class Visit>
  [[gnu::always_inline]] static void each(Visit visit) {
    std::size_t output = 0;
    for (std::size_t plane = 0; plane < C; ++plane) {
      for (std::size_t y = 0; y < out_height; ++y) {
        for (std::size_t x = 0; x < out_width; ++x) {
          const window_range rows = inside(y, H);
          const window_range columns = inside(x, W);
          const auto first =
              (plane * H + static_cast<std::size_t>(rows.first)) * W + static_cast<std::size_t>(columns.first);
          visit(first, static_cast<std::size_t>(rows.last - rows.first),
                static_cast<std::size_t>(columns.last - columns.first), output++);
        }
      }
    }
  }

 private:
  /// Without padding the size is a constant, and loops over it unroll.
  static constexpr window_range inside(std::size_t at, std::size_t extent) {
    const auto begin = static_cast<std::ptrdiff_t>(at * S) - static_cast<std::ptrdiff_t>(P);
    constexpr auto length = static_cast<std::ptrdiff_t>(Size);
    if constexpr (P == 0) return {begin, begin + length};
    const window_range range = clipped(begin, length, static_cast<std::ptrdiff_t>(extent));
    return {begin + range.first, begin + range.last};
  }
};

template <class T, std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W, class Out>
void forward(max_pool_t<K, S, P>, const context&, parameters<T>, batch<const T, shape<C, H, W>> x, batch<T, Out> y) {
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T>* in = x.group(g);
    lanes<T>* out = y.group(g);
    squares<K, S, P, C, H, W>::each([=](std::size_t first, std::size_t rows, std::size_t columns, std::size_t output) {
      lanes<T> most = in[first];
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) most = greater(in[first + r * W + c], most);
      }
      out[output] = most;
    });
  }
}

template <class T, std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W, class Out>
void backward_inputs(max_pool_t<K, S, P>, const context&, parameters<T>, batch<const T, shape<C, H, W>> x,
                     batch<const T, Out> y, batch<const T, Out> d_y, batch<T, shape<C, H, W>> d_x) {
  using all = squares<K, S, P, C, H, W>;
  for (std::size_t g = 0; g < d_y.groups; ++g) {
    lanes<T>* d_in = d_x.group(g);
    const lanes<T>* in = x.group(g);
    const lanes<T>* out = y.group(g);
    const lanes<T>* d_out = d_y.group(g);
    if constexpr (!all::covering) {
      for (std::size_t i = 0; i < C * H * W; ++i) d_in[i] = lanes<T>{};
    }
    all::each([=](std::size_t first, std::size_t rows, std::size_t columns, std::size_t output) {
      lanes<T> left = d_out[output];  // in lanes that have not met their maximum yet
      const lanes<T> most = out[output];
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          const std::size_t at = first + r * W + c;
          const lanes<T> here = where_equal(in[at], most, left, lanes<T>{});
          left = where_equal(in[at], most, lanes<T>{}, left);
          d_in[at] = all::apart ? here : d_in[at] + here;
        }
      }
    });
  }
}

template <class T, std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W, class Out>
void forward(average_pool_t<K, S, P>, const context&, parameters<T>, batch<const T, shape<C, H, W>> x,
             batch<T, Out> y) {
  for (std::size_t g = 0; g < x.groups; ++g) {
    const lanes<T>* in = x.group(g);
    lanes<T>* out = y.group(g);
    squares<K, S, P, C, H, W>::each([=](std::size_t first, std::size_t rows, std::size_t columns, std::size_t output) {
      lanes<T> total{};
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) total += in[first + r * W + c];
      }
      out[output] = number<T>(1.0 / (K * K)) * total;
    });
  }
}

template <class T, std::size_t K, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W, class Out>
void backward_inputs(average_pool_t<K, S, P>, const context&, parameters<T>, batch<const T, shape<C, H, W>>,
                     batch<const T, Out>, batch<const T, Out> d_y, batch<T, shape<C, H, W>> d_x) {
  for (std::size_t g = 0; g < d_y.groups; ++g) {
    lanes<T>* d_in = d_x.group(g);
    const lanes<T>* d_out = d_y.group(g);
    for (std::size_t i = 0; i < C * H * W; ++i) d_in[i] = lanes<T>{};
    squares<K, S, P, C, H, W>::each([=](std::size_t first, std::size_t rows, std::size_t columns, std::size_t output) {
      const lanes<T> share = number<T>(1.0 / (K * K)) * d_out[output];
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) d_in[first + r * W + c] += share;
      }
    });
  }
}

}  // namespace ipuflow::nn
