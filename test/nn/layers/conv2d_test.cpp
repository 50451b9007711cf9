// SPDX-License-Identifier: BSL-1.0
// The extent of a convolution's output. Oracle: count the places where the kernel fits.
#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace conv2d_test {

using namespace ipuflow;

namespace {

constexpr std::size_t places(std::size_t extent, std::size_t kernel, std::size_t stride, std::size_t padding) {
  std::size_t count = 0;
  for (std::size_t first = 0; first + kernel <= extent + 2 * padding; first += stride) ++count;
  return count;
}

template <class Layer, class In>
using out = decltype(output_of(Layer{}, In{}));

template <std::size_t K, std::size_t S, std::size_t P, std::size_t H, std::size_t W>
void fits() {
  using in = tensor<half, 6, H, W>;
  if constexpr (H + 2 * P >= K && W + 2 * P >= K) {
    using given = out<nn::conv2d_t<4, K, S, P, 2>, in>;
    CHECK(given::extent(0) == 4);
    CHECK(given::extent(1) == places(H, K, S, P));
    CHECK(given::extent(2) == places(W, K, S, P));
    CHECK(std::is_same_v<typename given::element_type, half>);
  } else {
    CHECK_FALSE(layer_for<nn::conv2d_t<4, K, S, P, 2>, in>);
  }
}
template <std::size_t K, std::size_t S, std::size_t P, std::size_t... H>
void fits_all(std::index_sequence<H...>) {
  (fits<K, S, P, H + 1, 12 - H>(), ...);
}
template <std::size_t K>
void of_kernel() {
  constexpr std::make_index_sequence<12> extents;
  fits_all<K, 1, 0>(extents);
  fits_all<K, 2, 0>(extents);
  fits_all<K, 3, 1>(extents);
  fits_all<K, 2, 4>(extents);
}

static_assert(std::is_same_v<out<nn::conv2d_t<10, 5, 1, 0, 1>, tensor<float, 1, 28, 28>>, tensor<float, 10, 24, 24>>);
static_assert(std::is_same_v<std::remove_const_t<decltype(nn::conv2d<8, 3>)>, nn::conv2d_t<8, 3, 1, 0, 1>>);
static_assert(std::is_same_v<out<nn::conv2d_t<8, 3, 1, 1, 1>, tensor<half, 3, 32, 32>>, tensor<half, 8, 32, 32>>, "same padding");
static_assert(layer_for<nn::conv2d_t<4, 1, 1, 0, 2>, tensor<float, 6, 1, 1>>);
static_assert(!layer_for<nn::conv2d_t<4, 1, 1, 0, 4>, tensor<float, 6, 1, 1>>, "groups divide the channels");
static_assert(!layer_for<nn::conv2d_t<5, 1, 1, 0, 2>, tensor<float, 6, 1, 1>>, "groups divide the filters");
static_assert(!layer_for<nn::conv2d_t<4, 1, 1, 0, 1>, tensor<float, 6, 8>>, "channels, height and width are three");

}  // namespace

TEST_CASE("the output has a pixel wherever the kernel fits") {
  of_kernel<1>();
  of_kernel<2>();
  of_kernel<3>();
  of_kernel<5>();
}

}  // namespace conv2d_test
