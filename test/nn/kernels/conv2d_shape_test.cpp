// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/kernels/conv2d_shape.hpp>

#include <doctest/doctest.h>

namespace conv2d_shape_test {

using namespace ipuflow;

constexpr nn::impl::conv2d_shape shape_of_group = nn::impl::conv_shape_of<4, 3, 2, 1, 2, 6, 7, 9>();
static_assert(shape_of_group.filters == 2 && shape_of_group.channels == 3);
static_assert(shape_of_group.out_height == 4 && shape_of_group.out_width == 5);
static_assert(shape_of_group.weights() == 2 * 3 * 9);
static_assert(shape_of_group.in_elements() == 3 * 63);
static_assert(shape_of_group.out_elements() == 2 * 20);

TEST_CASE("Every input pixel belongs to exactly one correlation of the gradient, and every tap too") {
  for (std::ptrdiff_t kernel = 1; kernel < 6; ++kernel) {
    for (std::ptrdiff_t stride = 1; stride < 5; ++stride) {
      for (std::ptrdiff_t padding = 0; padding < 4; ++padding) {
        const nn::impl::conv2d_shape s{.filters = 1,
                               .channels = 1,
                               .kernel = kernel,
                               .stride = stride,
                               .padding = padding,
                               .height = 7,
                               .width = 9,
                               .out_height = (7 + 2 * padding - kernel) / stride + 1,
                               .out_width = (9 + 2 * padding - kernel) / stride + 1};
        std::ptrdiff_t pixels = 0, taps = 0;
        for (std::ptrdiff_t phase = 0; phase < stride * stride; ++phase) {
          const nn::impl::correlation c = nn::impl::input_correlation(s, phase / stride, phase % stride);
          pixels += c.out_height * c.out_width;
          taps += c.window_height * c.window_width;
          CHECK(c.out_first >= 0);
        }
        CHECK(pixels == 63);
        CHECK(taps == kernel * kernel);
      }
    }
  }
}

}  // namespace conv2d_shape_test
