// SPDX-License-Identifier: BSL-1.0
// The loop of pooling: the squares of a plane, each with the output that it makes. Where nothing hangs over an edge, the
// size of a square is a constant.
#pragma once

#include <ipuflow/nn/kernels/correlation.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// Calls `visit(first pixel of the square inside the plane, rows, columns, output)` for each output of a group.
template <std::size_t Size, std::size_t S, std::size_t P, std::size_t C, std::size_t H, std::size_t W>
struct squares {
  static constexpr std::size_t out_height = (H + 2 * P - Size) / S + 1;
  static constexpr std::size_t out_width = (W + 2 * P - Size) / S + 1;
  /// Squares that cover every pixel once at most: gradients need no sum.
  static constexpr bool apart = S >= Size;
  static constexpr bool covering = S == Size && P == 0 && H % S == 0 && W % S == 0;

  template <class Visit>
  [[gnu::always_inline]] static void each(Visit&& visit) {
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

}  // namespace impl

}  // namespace ipuflow::nn
