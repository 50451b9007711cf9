// SPDX-License-Identifier: BSL-1.0
// Winograd's transforms for windows of 3 x 3: a tile of 4 x 4 outputs needs 36 products of transformed numbers where the
// plain sum needs 144. Pixels of a tile become T(B) d B, weights T(G) g G; their products, summed over channels, become
// outputs by T(A) m A. Lanes hold samples, so a transform is sums of whole vectors. The points that polynomials are
// evaluated at are 0, +-3/4, +-3/2 and infinity: exact in binary, and less than half of the rounding error of the usual 0, +-1, +-2.
#pragma once

#include <ipuflow/nn/kernels/conv2d_shape.hpp>
#include <ipuflow/nn/simd/lanes.hpp>
#include <ipuflow/nn/simd/register_block.hpp>
#include <ipuflow/nn/simd/transpose.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// True of a convolution that is computed by Winograd's transforms. The shape alone decides, so that results are the same wherever the
/// layer runs. Few channels are not worth the transforms, nor are images whose tiles hang so far over their edges that more than half
/// as many products are computed as plain sums have.
constexpr bool takes_winograd(const conv2d_shape& s) {
  if (s.kernel != 3 || s.stride != 1 || s.filters < 32 || s.channels < 32) return false;
  const auto products = [](std::ptrdiff_t height, std::ptrdiff_t width) { return (height + 3) / 4 * ((width + 3) / 4) * 36; };
  const std::ptrdiff_t plain = s.out_height * s.out_width * 9;
  return 2 * products(s.out_height, s.out_width) <= plain && 2 * products(s.height, s.width) <= s.height * s.width * 9;
}

/// Halves are rounded after every operation, so they would lose more in transforms.
template <class T>
constexpr bool by_winograd(const conv2d_shape& s) {
  return std::is_floating_point_v<T> && takes_winograd(s);
}

/// Numbers of a tile: outputs, pixels that they need, and products, along an axis and in all.
inline constexpr std::ptrdiff_t tile_step = 4, tile_extent = 6, tile_products = 36;

/// Vectors between planes of a buffer that lie as far apart as a power of two would fall on the same lines of the cache.
inline constexpr std::ptrdiff_t plane_gap = sizeof(lanes<float>) >= 64 ? 1 : 64 / sizeof(lanes<float>);

/// Working memory of a pass, not cleared. It is one piece: of several, allocators give some back to the system each time.
template <class V>
class working_room {
 public:
  explicit working_room(std::ptrdiff_t size) : data_{new V[static_cast<std::size_t>(size)]}, next_{data_} {}
  working_room(const working_room&) = delete;
  working_room& operator=(const working_room&) = delete;
  ~working_room() { delete[] data_; }

  /// The next `size` vectors.
  V* take(std::ptrdiff_t size) {
    V* const taken = next_;
    next_ += size;
    return taken;
  }

 private:
  V* data_;
  V* next_;
};

/// The transforms of one axis.
template <class T>
struct winograd_axis {
  using V = lanes<T>;
  static constexpr T a = T(0.75), b = T(1.5);
  static constexpr T a2 = a * a, b2 = b * b, a3 = a2 * a, b3 = b2 * b;
  static constexpr T of_zero = 1 / (a2 * b2), of_a = 1 / (2 * a2 * (a2 - b2)), of_b = 1 / (2 * b2 * (b2 - a2));

  /// Values at a, -a, b and -b of polynomials that are given by their even and odd parts.
  [[gnu::always_inline]] static void at_points(const V& even_a, const V& odd_a, const V& even_b, const V& odd_b, V* r) {
    r[1] = even_a + odd_a;
    r[2] = even_a - odd_a;
    r[3] = even_b + odd_b;
    r[4] = even_b - odd_b;
  }

  /// Six pixels: T(B).
  struct pixels {
    static constexpr std::ptrdiff_t from = 6, to = 6;
    [[gnu::always_inline]] static void apply(const V* d, V* r) {
      const V even_a = d[4] - b2 * d[2], odd_a = a * (d[3] - b2 * d[1]);
      const V even_b = d[4] - a2 * d[2], odd_b = b * (d[3] - a2 * d[1]);
      r[0] = d[4] - (a2 + b2) * d[2] + a2 * b2 * d[0];
      at_points(even_a, odd_a, even_b, odd_b, r);
      r[5] = d[5] - (a2 + b2) * d[3] + a2 * b2 * d[1];
    }
  };
  /// Three weights: T(G).
  struct weights {
    static constexpr std::ptrdiff_t from = 3, to = 6;
    [[gnu::always_inline]] static void apply(const V* g, V* r) {
      const V even_a = of_a * g[0] + of_a * a2 * g[2], odd_a = of_a * a * g[1];
      const V even_b = of_b * g[0] + of_b * b2 * g[2], odd_b = of_b * b * g[1];
      r[0] = of_zero * g[0];
      at_points(even_a, odd_a, even_b, odd_b, r);
      r[5] = g[2];
    }
  };
  /// Six sums of products: T(A).
  struct outputs {
    static constexpr std::ptrdiff_t from = 6, to = 4;
    [[gnu::always_inline]] static void apply(const V* m, V* r) {
      const V sum_a = m[1] + m[2], difference_a = m[1] - m[2];
      const V sum_b = m[3] + m[4], difference_b = m[3] - m[4];
      r[0] = m[0] + sum_a + sum_b;
      r[1] = a * difference_a + b * difference_b;
      r[2] = a2 * sum_a + b2 * sum_b;
      r[3] = a3 * difference_a + b3 * difference_b + m[5];
    }
  };
  /// Four gradients of outputs: A.
  struct output_gradients {
    static constexpr std::ptrdiff_t from = 4, to = 6;
    [[gnu::always_inline]] static void apply(const V* y, V* r) {
      const V even_a = y[0] + a2 * y[2], odd_a = a * y[1] + a3 * y[3];
      const V even_b = y[0] + b2 * y[2], odd_b = b * y[1] + b3 * y[3];
      r[0] = y[0];
      at_points(even_a, odd_a, even_b, odd_b, r);
      r[5] = y[3];
    }
  };
  /// Six sums of gradients of transformed weights: G.
  struct weight_gradients {
    static constexpr std::ptrdiff_t from = 6, to = 3;
    [[gnu::always_inline]] static void apply(const V* u, V* r) {
      const V sum_a = of_a * (u[1] + u[2]), difference_a = of_a * (u[1] - u[2]);
      const V sum_b = of_b * (u[3] + u[4]), difference_b = of_b * (u[3] - u[4]);
      r[0] = of_zero * u[0] + sum_a + sum_b;
      r[1] = a * difference_a + b * difference_b;
      r[2] = a2 * sum_a + b2 * sum_b + u[5];
    }
  };
};

/// Both axes: number (row, column) is read at `from[row * row_stride + column * column_stride]`, and number n of the result goes to
/// `to[n * to_stride]`.
template <class Axis, class V>
[[gnu::always_inline]] inline void transform_tile(const V* from, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride, V* to,
                                                  std::ptrdiff_t to_stride) {
  V half[static_cast<std::size_t>(Axis::to * Axis::from)];
  for (std::ptrdiff_t column = 0; column < Axis::from; ++column) {
    V read[Axis::from], made[Axis::to];
    for (std::ptrdiff_t i = 0; i < Axis::from; ++i) read[i] = from[i * row_stride + column * column_stride];
    Axis::apply(read, made);
    for (std::ptrdiff_t i = 0; i < Axis::to; ++i) half[i * Axis::from + column] = made[i];
  }
  for (std::ptrdiff_t row = 0; row < Axis::to; ++row) {
    V made[Axis::to];
    Axis::apply(half + row * Axis::from, made);
    for (std::ptrdiff_t i = 0; i < Axis::to; ++i) to[(row * Axis::to + i) * to_stride] = made[i];
  }
}

/// Images of one channel, and where the first tile of it begins, in padding if that is negative.
struct tiled_plane {
  std::ptrdiff_t height = 0, width = 0, top = 0, left = 0, tiles_across = 0;
};

/// One tile of `Axis::from` pixels along an axis, zero where it leaves the image.
template <class Axis, class V>
[[gnu::always_inline]] inline void transform_pixels(const V* image, const tiled_plane& plane, std::ptrdiff_t tile, V* to,
                                                    std::ptrdiff_t to_stride) {
  constexpr std::ptrdiff_t extent = Axis::from;
  const std::ptrdiff_t top = plane.top + tile / plane.tiles_across * tile_step;
  const std::ptrdiff_t left = plane.left + tile % plane.tiles_across * tile_step;
  V copied[static_cast<std::size_t>(extent * extent)];
  const V* from = nullptr;
  std::ptrdiff_t stride = plane.width;
  if (top < 0 || left < 0 || top + extent > plane.height || left + extent > plane.width) {
    for (std::ptrdiff_t i = 0; i < extent * extent; ++i) copied[i] = V{};
    const window_range down = clipped(top, extent, plane.height);
    for (std::ptrdiff_t y = down.first; y < down.last; ++y) {
      for (std::ptrdiff_t x = 0; x < extent; ++x) {
        if (left + x >= 0 && left + x < plane.width) copied[y * extent + x] = image[(top + y) * plane.width + left + x];
      }
    }
    from = copied;
    stride = extent;
  } else {
    from = image + top * plane.width + left;
  }
  transform_tile<Axis>(from, stride, 1, to, to_stride);
}

/// Adds to, or writes, sums of products: out[row][column] of weights[row * row_stride + term * term_stride] * in[term][column].
/// It serves all shapes and passes, so a program has it once. Rows come in multiples of `unit`.
template <class T>
struct winograd_product {
  const T* weights = nullptr;
  std::ptrdiff_t row_stride = 0, term_stride = 0;
  const lanes<T>* in = nullptr;
  std::ptrdiff_t in_stride = 0;
  lanes<T>* out = nullptr;
  std::ptrdiff_t out_stride = 0;
  std::ptrdiff_t terms = 0;
  bool adds = false;

  static constexpr std::ptrdiff_t unit = 8;

  void run(std::ptrdiff_t rows, std::ptrdiff_t columns) const {
    std::ptrdiff_t column = 0;
    for (; columns - column >= widest && columns - column != widest + 1; column += widest) block_rows<widest>(rows, column);
    for (; columns - column >= 2; column += 2) block_rows<2>(rows, column);
    if (columns > column) block_rows<1>(rows, column);
  }

 private:
  static constexpr std::ptrdiff_t widest = accumulator_count >= 24 ? 3 : 2;

  template <std::size_t Columns>
  void block_rows(std::ptrdiff_t rows, std::ptrdiff_t column) const {
    constexpr std::size_t at_once = Columns == 1 || accumulator_count >= 24 ? 8 : 4;
    for (std::ptrdiff_t row = 0; row < rows; row += static_cast<std::ptrdiff_t>(at_once)) block<at_once, Columns>(row, column);
  }

  template <std::size_t Rows, std::size_t Columns>
  [[gnu::noinline]] void block(std::ptrdiff_t row, std::ptrdiff_t column) const {
    register_block<T, Rows, Columns> sums;
    lanes<T>* to = out + row * out_stride + column;
    if (adds) {
      sums.load(to, out_stride);
    } else {
      sums.start(nullptr);
    }
    const T* weight = weights + row * row_stride;
    sums.template multiply_add<1>(weight, row_stride, term_stride, in + column, in_stride, static_cast<std::size_t>(terms));
    sums.store(to, out_stride);
  }
};

}  // namespace impl

}  // namespace ipuflow::nn
