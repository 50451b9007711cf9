// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/lowerings/conv2d_shape.hpp>

#include <doctest/doctest.h>

namespace conv2d_shape_test {

using namespace ipuflow;

TEST_CASE("a layer's sizes are those of the convolution, and its result is as large as the layer's") {
  constexpr auto layer = nn::conv2d<24, 3, 2, 1, 4>;
  constexpr tensor<half, 8, 32, 20> image{};
  constexpr ipu::conv_shape s = nn::impl::image_conv_shape(layer, image, ipu::amp_precision::half_half);
  using made = decltype(output_of(layer, image));
  static_assert(s.in_channels == 8 && s.out_channels == 24 && s.groups == 4);
  static_assert(s.out_rows() == made::extent(1) && s.out_columns() == made::extent(2));
  CHECK(s.batch == 1);
  CHECK(s.type == ipu::amp_precision::half_half);
}

}  // namespace conv2d_shape_test
