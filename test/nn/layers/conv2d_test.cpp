// SPDX-License-Identifier: BSL-1.0
// The extent of a convolution's output. Oracle: count the places where the kernel fits.
#include "layer_check.hpp"

#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace conv2d_test {

using namespace nn_test;

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
    using given = out<nn::conv2d_t<4, K, S, P, 2, true>, in>;
    CHECK(given::extent(0) == 4);
    CHECK(given::extent(1) == places(H, K, S, P));
    CHECK(given::extent(2) == places(W, K, S, P));
    CHECK(std::is_same_v<typename given::element_type, half>);
  } else {
    CHECK_FALSE(layer_for<nn::conv2d_t<4, K, S, P, 2, true>, in>);
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

template <std::size_t Filters, std::size_t Kernel, std::size_t Stride, std::size_t Groups>
concept can_be_said = requires { nn::conv2d<Filters, Kernel, Stride, 0, Groups>; };
static_assert(can_be_said<1, 1, 1, 1>);
static_assert(!can_be_said<0, 1, 1, 1> && !can_be_said<1, 0, 1, 1> && !can_be_said<1, 1, 0, 1> && !can_be_said<1, 1, 1, 0>);
static_assert(std::is_same_v<out<nn::conv2d_t<10, 5, 1, 0, 1, true>, tensor<float, 1, 28, 28>>, tensor<float, 10, 24, 24>>);
static_assert(std::is_same_v<std::remove_const_t<decltype(nn::conv2d<8, 3>)>, nn::conv2d_t<8, 3, 1, 0, 1, true>>);
static_assert(std::is_same_v<out<nn::conv2d_t<8, 3, 1, 1, 1, true>, tensor<half, 3, 32, 32>>, tensor<half, 8, 32, 32>>, "same padding");
static_assert(layer_for<nn::conv2d_t<4, 1, 1, 0, 2, true>, tensor<float, 6, 1, 1>>);
static_assert(!layer_for<nn::conv2d_t<4, 1, 1, 0, 4, true>, tensor<float, 6, 1, 1>>, "groups divide the channels");
static_assert(!layer_for<nn::conv2d_t<5, 1, 1, 0, 2, true>, tensor<float, 6, 1, 1>>, "groups divide the filters");
static_assert(!layer_for<nn::conv2d_t<4, 1, 1, 0, 1, true>, tensor<float, 6, 8>>, "channels, height and width are three");

}  // namespace

TEST_CASE("the output has a pixel wherever the kernel fits") {
  of_kernel<1>();
  of_kernel<2>();
  of_kernel<3>();
  of_kernel<5>();
}

namespace {

/// The definition, one output at a time.
template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, std::size_t C, std::size_t H,
          std::size_t W>
double convolved(const bench<float, nn::conv2d_t<F, K, S, P, G, B>, tensor<float, C, H, W>>& test, std::size_t sample,
                 std::size_t f, std::size_t y, std::size_t x) {
  double sum = B ? test.values[F * (C / G) * K * K + f] : 0;
  for (std::size_t c = 0; c < C / G; ++c) {
    for (std::size_t ky = 0; ky < K; ++ky) {
      for (std::size_t kx = 0; kx < K; ++kx) {
        const std::size_t row = y * S + ky, column = x * S + kx;
        if (row < P || row >= H + P || column < P || column >= W + P) continue;
        const std::size_t channel = f / (F / G) * (C / G) + c;
        const double pixel = test.x.get(sample, (channel * H + row - P) * W + column - P);
        sum += pixel * static_cast<double>(test.values[((f * (C / G) + c) * K + ky) * K + kx]);
      }
    }
  }
  return sum;
}

template <std::size_t F, std::size_t K, std::size_t S, std::size_t P, std::size_t G, bool B, std::size_t C, std::size_t H,
          std::size_t W>
void check_definition(nn::conv2d_t<F, K, S, P, G, B> layer, tensor<float, C, H, W> in) {
  bench<float, nn::conv2d_t<F, K, S, P, G, B>, tensor<float, C, H, W>> test{nn::lane_count + 3};
  test.forward();
  using out = decltype(output_of(layer, in));
  constexpr std::size_t width = out::extent(2), plane = out::extent(1) * width;
  for (std::size_t s = 0; s < test.x.samples; s += 3) {
    for (std::size_t e = 0; e < out::elements; ++e) {
      const double expected = convolved(test, s, e / plane, e % plane / width, e % width);
      REQUIRE(static_cast<double>(test.y.get(s, e)) == doctest::Approx(expected).epsilon(1e-4).scale(1));
    }
  }
}

template <class Layer, class In>
void check(Layer layer, In in, std::size_t stride = 1) {
  check_definition(layer, in);
  check_layer(layer, in, stride);
}

}  // namespace

TEST_CASE("A convolution is what its definition says, and so is its gradient") {
  check(nn::conv2d<3, 3>, tensor<float, 2, 7, 9>{});
  check(nn::conv2d<1, 1>, tensor<float, 1, 1, 1>{});
  check(nn::conv2d<5, 5>, tensor<float, 3, 8, 11>{}, 5);
}

TEST_CASE("Padding and stride, also where a window hangs over both edges") {
  check(nn::conv2d<4, 3, 1, 1>, tensor<float, 2, 5, 6>{}, 3);
  check(nn::conv2d<2, 3, 2, 1>, tensor<float, 3, 7, 8>{}, 3);
  check(nn::conv2d<2, 5, 1, 4>, tensor<float, 1, 2, 3>{}, 3);
  check(nn::conv2d<2, 2, 3, 0>, tensor<float, 2, 8, 9>{}, 3);  // pixels that no window sees
  check(nn::conv2d<3, 1, 2, 1>, tensor<float, 2, 4, 5>{}, 3);
}

TEST_CASE("Groups of channels do not see each other; windows wider than a block of taps") {
  check(nn::conv2d<4, 3, 1, 1, 2>, tensor<float, 6, 4, 5>{}, 5);
  check(nn::conv2d<6, 3, 2, 1, 3>, tensor<float, 3, 5, 5>{}, 5);
  check(nn::conv2d<2, 11, 4, 2>, tensor<float, 1, 15, 17>{}, 11);
}

TEST_CASE("A group for each channel, as in a depthwise convolution") {
  check(nn::conv2d<7, 3, 1, 1, 7>, tensor<float, 7, 5, 4>{}, 5);
  check(nn::conv2d<6, 5, 2, 2, 6>, tensor<float, 6, 7, 9>{}, 7);
  check(nn::conv2d<6, 3, 2, 1, 3>, tensor<float, 3, 6, 5>{}, 5);  // two filters a channel
}

TEST_CASE("Many channels by Winograd's transforms, of all samples at once") {
  static_assert(facts(nn::conv2d<33, 3, 1, 1>, tensor<float, 34, 4, 7>{}).whole_batch);
  static_assert(!facts(nn::conv2d<33, 3, 2, 1>, tensor<float, 34, 4, 7>{}).whole_batch);
  check(nn::conv2d<33, 3, 1, 1>, tensor<float, 34, 4, 7>{}, 997);
  check(without_biases(nn::conv2d<64, 3, 1, 1, 2>), tensor<float, 64, 4, 4>{}, 1499);
}

TEST_CASE("Without biases there are weights alone") {
  using both = std::remove_const_t<decltype(nn::conv2d<4, 3, 1, 1, 2>)>;
  constexpr nn::layer_facts with = facts(both{}, tensor<float, 6, 4, 5>{});
  constexpr nn::layer_facts weights = facts(without_biases(both{}), tensor<float, 6, 4, 5>{});
  CHECK(with.parameters - with.biases == weights.parameters);
  CHECK(weights.biases == 0);
  CHECK(weights.parameters == 4 * 3 * 9);
  check(without_biases(nn::conv2d<4, 3, 1, 1, 2>), tensor<float, 6, 4, 5>{}, 5);
  check(without_biases(nn::conv2d<3, 3, 2, 1>), tensor<float, 2, 7, 6>{}, 3);
}

}  // namespace conv2d_test
