// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/bounds/image_bounds.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace image_bounds_test {

using namespace ipuflow;

constexpr nn::bound_question q{.samples = 16, .parameters = ipu::element_type::f16};
using image = tensor<half, 3, 32, 32>;

template <class In, class Out>
constexpr nn::layer_bound bound(auto layer, In in, Out out) {
  return bound_on_tiles(layer, in, out, q);
}

TEST_CASE("a convolution holds what its plans may hold, and more with floats") {
  const nn::layer_bound half_one = bound(nn::conv2d<16, 3, 1, 1>, nn::in<image>{}, nn::out<tensor<half, 16, 32, 32>>{});
  const nn::layer_bound float_one = bound(nn::conv2d<16, 3, 1, 1>, nn::in<tensor<float, 3, 32, 32>>{}, nn::out<tensor<float, 16, 32, 32>>{});
  CHECK(half_one.forward.temporary > 1000);
  CHECK(float_one.forward.temporary > half_one.forward.temporary);
  CHECK(half_one.to_weights.temporary > 0);
}

TEST_CASE("pooling has whole planes on a tile") {
  const nn::layer_bound pooled = bound(nn::max_pool<2>, nn::in<image>{}, nn::out<tensor<half, 3, 16, 16>>{});
  CHECK(pooled.forward.temporary == 32 * 32 * 2 + 16 * 16 * 2);
}

TEST_CASE("numbers that are joined to planes have room for planes; where both gradients are wanted, for one more") {
  const nn::layer_bound mean = bound(nn::global_average_pool, nn::in<image>{}, nn::out<tensor<half, 3>>{});
  const nn::layer_bound scaled = bound(nn::scale_channels, nn::in<tensor<half, 3>, image>{}, nn::out<image>{});
  CHECK(mean.forward.temporary >= 32 * 32 * 2);
  CHECK(scaled.forward.temporary >= 2 * 32 * 32 * 2);
  CHECK(scaled.to_inputs.temporary >= 3 * 32 * 32 * 2);
}

TEST_CASE("constants of channels are no tensors: a normalisation has what it reads beside what it makes") {
  const nn::layer_bound b = bound(nn::normalise<0.5, 0.5>, nn::in<image>{}, nn::out<image>{});
  CHECK(b.forward.temporary == q.spread(ipu::element_type::f16, image::elements));
  CHECK(b.to_weights == nn::pass_bound{});
}

}  // namespace image_bounds_test
