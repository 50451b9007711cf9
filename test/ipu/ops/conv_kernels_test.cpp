// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/conv_kernels.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace conv_kernels_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("the two gradients are the transposes of the convolution") {
  // <conv(x, w), y> = <x, back(y, w)> = <w, weights(x, y)> for all x, w, y.
  std::mt19937 random(3);
  const auto numbers = [&](std::size_t n) {
    std::vector<float> made(n);
    for (float& v : made) v = static_cast<float>(static_cast<int>(random() % 7)) - 3;
    return made;
  };
  const auto dot = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  for (const conv_shape& s : {conv_shape{2, 3, 8, 9, 4, 3, 3, 1, 1, 1, amp_precision::half_half},
                              {1, 2, 7, 7, 3, 2, 3, 2, 0, 1, amp_precision::half_half},
                              {3, 1, 5, 5, 1, 5, 5, 1, 2, 1, amp_precision::half_half}}) {
    const conv_block b{s, s.batch, 0, s.rows, s.in_channels, 0, s.out_rows(), s.out_channels, 0, 0};
    const auto x = numbers(s.batch * s.in_channels * s.rows * s.columns);
    const auto w = numbers(s.out_channels * s.in_channels * s.kernel_rows * s.kernel_columns);
    const auto y = numbers(s.batch * s.out_channels * s.out_rows() * s.out_columns());
    std::vector<float> forward(y.size(), 0), back(x.size(), 0), weights(w.size(), 0);
    convolve(b, x.data(), w.data(), forward.data());
    convolve_back(b, y.data(), w.data(), back.data());
    convolve_weights(b, x.data(), y.data(), weights.data());
    CHECK(dot(forward, y) == dot(x, back));
    CHECK(dot(forward, y) == dot(w, weights));
    CHECK(dot(forward, forward) > 0);
  }
}

}  // namespace conv_kernels_test
