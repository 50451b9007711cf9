// SPDX-License-Identifier: BSL-1.0
// Oracle: the definition of a convolution, summed in double, for shapes that fill no vector, block or tile.
#include <ipuflow/nn/kernels/winograd_correlation.hpp>

#include "../winograd_check.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace winograd_correlation_test {

using namespace nn_test;
using nn::impl::winograd_correlation;

namespace {

template <class T>
void check(const small_convolution& c, bool biased) {
  const auto in_group = static_cast<std::size_t>(c.in_group()), out_group = static_cast<std::size_t>(c.out_group());
  const auto groups = static_cast<std::size_t>(c.groups);
  const auto x = c.numbers<T>(c.in_group(), 1), d_y = c.numbers<T>(c.out_group(), 2);
  const std::vector<T> weights = c.weights<T>();
  std::vector<T> biases(static_cast<std::size_t>(c.s.filters));
  for (std::size_t f = 0; biased && f < biases.size(); ++f) biases[f] = static_cast<T>(noise(3, f));

  std::vector<nn::lanes<double>> y(out_group * groups), d_x(in_group * groups);
  const std::ptrdiff_t plane = c.s.out_height * c.s.out_width;
  for (std::ptrdiff_t i = 0; i < c.out_group() * c.groups; ++i) {
    const std::ptrdiff_t f = i % c.out_group() / plane;
    if (f < c.s.filters) y[static_cast<std::size_t>(i)] = nn::lanes<double>::all(static_cast<double>(biases[static_cast<std::size_t>(f)]));
  }
  c.each_product([&](std::size_t output, std::size_t pixel, std::size_t tap) {
    const auto weight = static_cast<double>(weights[tap]);
    for (std::size_t l = 0; l < nn::lane_count; ++l) {
      y[output].set(l, y[output][l] + weight * static_cast<double>(x[pixel][l]));
      d_x[pixel].set(l, d_x[pixel][l] + weight * static_cast<double>(d_y[output][l]));
    }
  });

  std::vector<nn::lanes<T>> made_y(y.size()), made_d_x(d_x.size());
  winograd_correlation<T>::run(nn::impl::winograd_forward(c.s), weights.data(), biased ? biases.data() : nullptr, x.data(), in_group,
                               made_y.data(), out_group, groups);
  winograd_correlation<T>::run(nn::impl::winograd_inputs(c.s), weights.data(), nullptr, d_y.data(), out_group, made_d_x.data(), in_group,
                               groups);
  relative_error forward, inputs;
  forward.add(made_y, y);
  inputs.add(made_d_x, d_x);
  CHECK(forward.value() < winograd_error<T>);
  CHECK(inputs.value() < winograd_error<T>);
}

/// The samples of a group are computed with the same bits alone and among others.
void check_alone(const small_convolution& c) {
  const auto in_group = static_cast<std::size_t>(c.in_group()), out_group = static_cast<std::size_t>(c.out_group());
  const auto x = c.numbers<float>(c.in_group(), 1);
  const std::vector<float> weights = c.weights<float>();
  std::vector<nn::lanes<float>> together(out_group * static_cast<std::size_t>(c.groups)), alone(out_group);
  const auto run = [&](std::size_t first, std::size_t groups, std::vector<nn::lanes<float>>& y) {
    winograd_correlation<float>::run(nn::impl::winograd_forward(c.s), weights.data(), nullptr, x.data() + first * in_group, in_group,
                                     y.data(), out_group, groups);
  };
  run(0, static_cast<std::size_t>(c.groups), together);
  for (std::size_t g = 0; g < static_cast<std::size_t>(c.groups); ++g) {
    run(g, 1, alone);
    for (std::size_t i = 0; i < out_group; ++i) {
      for (std::size_t l = 0; l < nn::lane_count; ++l) REQUIRE(alone[i][l] == together[g * out_group + i][l]);
    }
  }
}

}  // namespace

TEST_CASE("Images of every size, with padding of none to three") {
  for (const std::ptrdiff_t padding : {0, 1, 2, 3}) {
    for (std::ptrdiff_t size = 3; size <= 10; ++size) check<double>(small_convolution{3, 2, size, 13 - size, padding, 1}, true);
  }
  check<float>(small_convolution{2, 3, 1, 1, 1, 2}, false);
}

TEST_CASE("Channels that fill no vector and no block, more than a block of either") {
  check<float>(small_convolution{33, 35, 5, 6, 1, 2}, true);
  check<float>(small_convolution{7, 131, 4, 4, 1, 1}, false);
  check<float>(small_convolution{131, 7, 4, 4, 1, 1}, true);
  check<double>(small_convolution{70, 65, 4, 3, 0, 1}, true);
}

TEST_CASE("Any number of tiles, and weights that are too many to keep for all of them") {
  for (std::ptrdiff_t groups = 1; groups <= 8; ++groups) check<float>(small_convolution{9, 5, 4, 4, 1, groups}, true);
  check<float>(small_convolution{2, 3, 30, 31, 1, 1}, true);
  check<float>(small_convolution{129, 258, 3, 4, 1, 7}, false);
}

TEST_CASE("What is not finite is never lost, and never leaves the tiles that see it") {
  const small_convolution c{2, 1, 11, 12, 1, 1};
  const std::vector<float> weights = c.weights<float>();
  const auto in_group = static_cast<std::size_t>(c.in_group()), out_group = static_cast<std::size_t>(c.out_group());
  const std::size_t pixels = static_cast<std::size_t>(c.s.height * c.s.width);
  for (const float strange : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      auto x = c.numbers<float>(c.in_group(), 1);
      x[pixel].set(0, strange);
      std::vector<nn::lanes<float>> y(out_group);
      winograd_correlation<float>::run(nn::impl::winograd_forward(c.s), weights.data(), nullptr, x.data(), in_group, y.data(), out_group, 1);
      const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(pixel) / c.s.width + 1, column = static_cast<std::ptrdiff_t>(pixel) % c.s.width + 1;
      for (std::ptrdiff_t i = 0; i < c.s.filters * c.s.out_height * c.s.out_width; ++i) {
        const std::ptrdiff_t up = i / c.s.out_width % c.s.out_height, left = i % c.s.out_width;
        const bool finite = std::isfinite(y[static_cast<std::size_t>(i)][0]);
        if (row >= up && row < up + 3 && column >= left && column < left + 3) REQUIRE(!finite);
        const std::ptrdiff_t tile_up = up / 4 * 4, tile_left = left / 4 * 4;
        if (row < tile_up || row >= tile_up + 6 || column < tile_left || column >= tile_left + 6) REQUIRE(finite);
        for (std::size_t l = 1; l < nn::lane_count; ++l) REQUIRE(std::isfinite(y[static_cast<std::size_t>(i)][l]));
      }
    }
  }
}

TEST_CASE("A group of samples has the same bits alone and among others") {
  check_alone(small_convolution{9, 70, 4, 4, 1, 7});
  check_alone(small_convolution{34, 33, 8, 7, 0, 3});
}

}  // namespace winograd_correlation_test
