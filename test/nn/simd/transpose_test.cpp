// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/simd/transpose.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace transpose_test {

using namespace ipuflow;

TEST_CASE_TEMPLATE("Lane i of vector j becomes lane j of vector i", T, float, double) {
  nn::lanes<T> block[nn::lane_count], turned[nn::lane_count];
  for (std::size_t j = 0; j < nn::lane_count; ++j) {
    for (std::size_t i = 0; i < nn::lane_count; ++i) block[j].set(i, static_cast<T>(100 * j + i));
  }
  nn::impl::transpose(block, turned);
  for (std::size_t j = 0; j < nn::lane_count; ++j) {
    for (std::size_t i = 0; i < nn::lane_count; ++i) CHECK(turned[i][j] == static_cast<T>(100 * j + i));
  }
}

TEST_CASE("A vector is added to numbers at any address") {
  float numbers[nn::lane_count + 1]{};
  nn::impl::add_lanes_to(numbers + 1, nn::lanes<float>::all(2));
  CHECK(numbers[0] == 0);
  CHECK(numbers[nn::lane_count] == 2);
}

}  // namespace transpose_test
