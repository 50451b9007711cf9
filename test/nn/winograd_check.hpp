// SPDX-License-Identifier: BSL-1.0
// Convolutions for the tests of Winograd's kernels: shapes that are known only at run time, numbers, and the definition in double.
#pragma once

#include <ipuflow/nn/kernels/conv2d_shape.hpp>
#include <ipuflow/nn/simd/lanes.hpp>

#include "layer_check.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace nn_test {

/// One group of a convolution by 3 x 3 on groups of samples that lie `gap` vectors further apart than need be.
struct small_convolution {
  static constexpr std::ptrdiff_t gap = 3;

  nn::impl::conv2d_shape s;
  std::ptrdiff_t groups = 1;

  small_convolution(std::ptrdiff_t filters, std::ptrdiff_t channels, std::ptrdiff_t height, std::ptrdiff_t width, std::ptrdiff_t padding,
                    std::ptrdiff_t group_count)
      : s{filters, channels, 3, 1, padding, height, width, height + 2 * padding - 2, width + 2 * padding - 2}, groups{group_count} {}

  std::ptrdiff_t in_group() const { return s.channels * s.height * s.width + gap; }
  std::ptrdiff_t out_group() const { return s.filters * s.out_height * s.out_width + gap; }

  template <class T>
  std::vector<nn::lanes<T>> numbers(std::ptrdiff_t group, std::uint64_t stream) const {
    std::vector<nn::lanes<T>> made(static_cast<std::size_t>(group * groups));
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (std::size_t l = 0; l < nn::lane_count; ++l) made[i].set(l, static_cast<T>(noise(stream, i * nn::lane_count + l)));
    }
    return made;
  }

  template <class T>
  std::vector<T> weights() const {
    std::vector<T> made(s.weights());
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<T>(noise(7, i));
    return made;
  }

  /// Calls `visit` for each group, filter, channel, output, pixel and tap that belong together, by their places.
  template <class Visit>
  void each_product(Visit visit) const {
    for (std::ptrdiff_t g = 0; g < groups; ++g) {
      for (std::ptrdiff_t y = 0; y < s.out_height; ++y) {
        for (std::ptrdiff_t x = 0; x < s.out_width; ++x) {
          for (std::ptrdiff_t k = 0; k < 9; ++k) {
            const std::ptrdiff_t row = y + k / 3 - s.padding, column = x + k % 3 - s.padding;
            if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
            for (std::ptrdiff_t f = 0; f < s.filters; ++f) {
              for (std::ptrdiff_t c = 0; c < s.channels; ++c) {
                visit(static_cast<std::size_t>(g * out_group() + (f * s.out_height + y) * s.out_width + x),
                      static_cast<std::size_t>(g * in_group() + (c * s.height + row) * s.width + column),
                      static_cast<std::size_t>((f * s.channels + c) * 9 + k));
              }
            }
          }
        }
      }
    }
  }
};

/// The root of the mean square of differences, as a share of that of what was expected.
class relative_error {
 public:
  void add(double made, double expected) {
    difference_ += (made - expected) * (made - expected);
    size_ += expected * expected;
  }
  template <class T>
  void add(const std::vector<nn::lanes<T>>& made, const std::vector<nn::lanes<double>>& expected) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (std::size_t l = 0; l < nn::lane_count; ++l) add(static_cast<double>(made[i][l]), expected[i][l]);
    }
  }
  double value() const { return std::sqrt(difference_ / size_); }

 private:
  double difference_ = 0, size_ = 0;
};

/// The precision that sums of some hundred products are good to by these transforms.
template <class T>
inline constexpr double winograd_error = sizeof(T) == sizeof(double) ? 1e-14 : 4e-6;

}  // namespace nn_test
