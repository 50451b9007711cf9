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

}  // namespace transpose_test
