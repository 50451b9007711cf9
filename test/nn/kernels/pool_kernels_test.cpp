// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/pool.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace pool_kernels_test {

using namespace nn_test;

TEST_CASE("Gradients of maxima and averages: squares apart, touching, overlapping, and over the edge") {
  check_layer(nn::max_pool<2>, tensor<float, 2, 4, 6>{});
  check_layer(nn::max_pool<2>, tensor<float, 1, 5, 7>{});
  check_layer(nn::max_pool<3, 2, 1>, tensor<float, 2, 6, 7>{});
  check_layer(nn::max_pool<2, 3>, tensor<float, 1, 8, 9>{});
  check_layer(nn::average_pool<2>, tensor<float, 2, 4, 6>{});
  check_layer(nn::average_pool<3, 1, 1>, tensor<float, 1, 4, 5>{});
}

namespace {

/// How often each pixel of a plane is in a square, for whatever says that squares are apart, or cover everything.
template <std::size_t Size, std::size_t S, std::size_t P, std::size_t H, std::size_t W>
void check_cover() {
  using squares = nn::impl::squares<Size, S, P, 1, H, W>;
  std::array<std::size_t, H * W> visits{};
  squares::each([&](std::size_t first, std::size_t rows, std::size_t columns, std::size_t) {
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t x = 0; x < columns; ++x) ++visits[first + y * W + x];
    }
  });
  for (const std::size_t n : visits) {
    if (squares::covering) CHECK(n == 1);
    if (squares::apart) CHECK(n <= 1);
  }
}

}  // namespace

TEST_CASE("Squares that cover the plane have each pixel once, so that none keeps an old gradient") {
  static_assert(nn::impl::squares<2, 2, 0, 1, 4, 6>::covering);
  check_cover<2, 2, 0, 4, 6>();
  check_cover<2, 2, 0, 5, 6>();
  check_cover<2, 3, 0, 9, 9>();  // gaps, though the steps divide the sides
  check_cover<1, 2, 0, 4, 4>();
  check_cover<3, 2, 1, 6, 8>();
  check_cover<2, 2, 1, 4, 4>();
  check_layer(nn::max_pool<2, 3>, tensor<float, 1, 9, 9>{});
}

TEST_CASE("The maximum is that of the square, padding never wins") {
  bench<float, nn::max_pool_t<3, 2, 1>, tensor<float, 1, 3, 3>> test{2};
  test.x.fill(-5);
  test.x.set(1, 4, -3);
  test.forward();
  for (std::size_t e = 0; e < 4; ++e) {
    CHECK(test.y.get(0, e) == -5);
    CHECK(test.y.get(1, e) == -3);
  }
}

namespace {

/// A square of 1, 2, 3, 4 with what is not a number in one place.
template <class T>
void check_not_a_number(std::size_t place) {
  bench<T, nn::max_pool_t<2, 2, 0>, tensor<float, 1, 2, 2>> test{nn::lane_count + 1};
  for (std::size_t e = 0; e < 4; ++e) test.x.set(1, e, nn::number<T>(e == place ? NAN : static_cast<double>(e + 1)));
  test.forward();
  test.backward();
  const std::size_t largest = place == 3 ? 2 : 3;
  CHECK(static_cast<double>(test.y.get(1, 0)) == static_cast<double>(largest + 1));
  for (std::size_t e = 0; e < 4; ++e) CHECK(test.d_x.get(1, e) == (e == largest ? test.d_y.get(1, 0) : T{}));
}

}  // namespace

TEST_CASE("What is not a number is the largest of nothing but its like, which has no gradient") {
  for (std::size_t place = 0; place < 4; ++place) {
    check_not_a_number<float>(place);
    check_not_a_number<half>(place);
  }
  bench<float, nn::max_pool_t<2, 2, 0>, tensor<float, 1, 2, 2>> none{1};
  none.x.fill(NAN);
  none.forward();
  none.backward();
  CHECK(std::isnan(none.y.get(0, 0)));
  for (std::size_t e = 0; e < 4; ++e) CHECK(none.d_x.get(0, e) == 0);
}

TEST_CASE("Of equal maxima the first gets all of the gradient") {
  bench<float, nn::max_pool_t<2, 2, 0>, tensor<float, 1, 2, 2>> test{1};
  test.x.fill(1);
  test.d_y.fill(7);
  test.forward();
  test.backward();
  CHECK(test.d_x.get(0, 0) == 7);
  CHECK(test.d_x.get(0, 1) == 0);
  CHECK(test.d_x.get(0, 2) == 0);
  CHECK(test.d_x.get(0, 3) == 0);
}

TEST_CASE("An average counts padding as zeros") {
  bench<float, nn::average_pool_t<2, 2, 1>, tensor<float, 1, 2, 2>> test{1};
  test.x.fill(4);
  test.forward();
  for (std::size_t e = 0; e < 4; ++e) CHECK(test.y.get(0, e) == 1);
}

}  // namespace pool_kernels_test
