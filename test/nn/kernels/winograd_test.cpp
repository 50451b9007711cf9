// SPDX-License-Identifier: BSL-1.0
// Oracles: the sums of products that the transforms stand for. Convolutions are checked in winograd_correlation_test.cpp and
// winograd_weights_test.cpp.
#include <ipuflow/nn/kernels/winograd.hpp>

#include "../layer_check.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace winograd_test {

using namespace nn_test;
using namespace nn::impl;

namespace {

using number = nn::lanes<double>;
using axis = winograd_axis<double>;

constexpr conv2d_shape shape_of(std::ptrdiff_t filters, std::ptrdiff_t channels, std::ptrdiff_t kernel, std::ptrdiff_t stride,
                                std::ptrdiff_t padding, std::ptrdiff_t size) {
  const std::ptrdiff_t out = (size + 2 * padding - kernel) / stride + 1;
  return {filters, channels, kernel, stride, padding, size, size, out, out};
}
static_assert(takes_winograd(shape_of(64, 64, 3, 1, 1, 32)));
static_assert(takes_winograd(shape_of(512, 512, 3, 1, 1, 4)), "one tile");
static_assert(takes_winograd(shape_of(64, 32, 3, 1, 0, 8)));
static_assert(!takes_winograd(shape_of(64, 64, 5, 1, 2, 32)) && !takes_winograd(shape_of(64, 64, 3, 2, 1, 32)));
static_assert(!takes_winograd(shape_of(16, 64, 3, 1, 1, 32)) && !takes_winograd(shape_of(64, 3, 3, 1, 1, 32)), "few channels");
static_assert(!takes_winograd(shape_of(64, 64, 3, 1, 1, 2)) && !takes_winograd(shape_of(64, 64, 3, 1, 1, 5)), "mostly padding");
static_assert(by_winograd<float>(shape_of(64, 64, 3, 1, 1, 32)) && by_winograd<double>(shape_of(64, 64, 3, 1, 1, 32)));
static_assert(!by_winograd<half>(shape_of(64, 64, 3, 1, 1, 32)));

/// Numbers of a tile, another for each stream; lane l has l + 1 times them.
template <std::size_t N>
void fill(number (&values)[N], std::uint64_t stream) {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t l = 0; l < nn::lane_count; ++l) values[i].set(l, noise(stream, i) * static_cast<double>(l + 1));
  }
}

void check_equal(const number& made, const number& expected) {
  for (std::size_t l = 0; l < nn::lane_count; ++l) CHECK(made[l] == doctest::Approx(expected[l]).epsilon(1e-12).scale(10));
}

}  // namespace

TEST_CASE("A tile of outputs is the window's sum of products at each place") {
  number pixels[36], taps[9], d[36], g[36], m[36], made[16];
  fill(pixels, 1);
  fill(taps, 2);
  transform_tile<axis::pixels>(pixels, 6, 1, d, 1);
  transform_tile<axis::weights>(taps, 3, 1, g, 1);
  for (std::size_t i = 0; i < 36; ++i) m[i] = d[i] * g[i];
  transform_tile<axis::outputs>(m, 6, 1, made, 1);
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 4; ++x) {
      number expected{};
      for (std::size_t k = 0; k < 9; ++k) expected += pixels[(y + k / 3) * 6 + x + k % 3] * taps[k];
      check_equal(made[y * 4 + x], expected);
    }
  }
}

TEST_CASE("Taps' gradients are the sum over a tile of gradient times pixel") {
  number pixels[36], slopes[16], d[36], e[36], u[36], made[9];
  fill(pixels, 3);
  fill(slopes, 4);
  transform_tile<axis::pixels>(pixels, 6, 1, d, 1);
  transform_tile<axis::output_gradients>(slopes, 4, 1, e, 1);
  for (std::size_t i = 0; i < 36; ++i) u[i] = d[i] * e[i];
  transform_tile<axis::weight_gradients>(u, 6, 1, made, 1);
  for (std::size_t k = 0; k < 9; ++k) {
    number expected{};
    for (std::size_t i = 0; i < 16; ++i) expected += pixels[(i / 4 + k / 3) * 6 + i % 4 + k % 3] * slopes[i];
    check_equal(made[k], expected);
  }
}

TEST_CASE("A tile that leaves the image on any side sees zeros there") {
  constexpr std::ptrdiff_t size = 3;
  number image[size * size], inside[36], expected[36], made[36];
  fill(image, 5);
  const tiled_plane plane{size, size, -2, -2, 2};
  for (std::ptrdiff_t tile = 0; tile < 4; ++tile) {
    for (std::ptrdiff_t i = 0; i < 36; ++i) {
      const std::ptrdiff_t y = tile / 2 * 4 - 2 + i / 6, x = tile % 2 * 4 - 2 + i % 6;
      inside[i] = y >= 0 && y < size && x >= 0 && x < size ? image[y * size + x] : number{};
    }
    transform_tile<axis::pixels>(inside, 6, 1, expected, 1);
    transform_pixels<axis::pixels>(image, plane, tile, made, 1);
    for (std::ptrdiff_t i = 0; i < 36; ++i) check_equal(made[i], expected[i]);
  }
}

TEST_CASE("Products of any number of columns and terms, written and added") {
  constexpr std::ptrdiff_t unit = winograd_product<float>::unit, rows = 2 * unit, most = 7;
  std::vector<float> weights(rows * most);
  std::vector<nn::lanes<float>> in(most * most);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 13) - 6;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = nn::lanes<float>::all(static_cast<float>(i % 11) - 5);
  for (std::ptrdiff_t columns = 1; columns <= most; ++columns) {
    for (const std::ptrdiff_t terms : {1, 2, 7}) {
      std::vector<nn::lanes<float>> out(rows * most, nn::lanes<float>::all(100));
      for (const bool adds : {false, true}) {
        winograd_product<float>{weights.data(), 1, rows, in.data(), most, out.data(), most, terms, adds}.run(rows, columns);
      }
      for (std::ptrdiff_t i = 0; i < rows * most; ++i) {
        float expected = 0;
        for (std::ptrdiff_t t = 0; t < terms; ++t) {
          expected += 2 * weights[static_cast<std::size_t>(t * rows + i / most)] * in[static_cast<std::size_t>(t * most + i % most)][0];
        }
        REQUIRE(out[static_cast<std::size_t>(i)][0] == (i % most < columns ? expected : 100));
      }
    }
  }
}

TEST_CASE("Working memory is handed out piece after piece") {
  working_room<int> room(5);
  int* const first = room.take(2);
  CHECK(room.take(3) == first + 2);
}

}  // namespace winograd_test
