// SPDX-License-Identifier: BSL-1.0
// Oracle: the sum over positions and samples of gradient times pixel, in double.
#include <ipuflow/nn/kernels/winograd_weights.hpp>

#include "../winograd_check.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace winograd_weights_test {

using namespace nn_test;

namespace {

template <class T>
void check(const small_convolution& c) {
  const auto x = c.numbers<T>(c.in_group(), 1), d_y = c.numbers<T>(c.out_group(), 2);
  std::vector<double> expected(c.s.weights());
  c.each_product([&](std::size_t output, std::size_t pixel, std::size_t tap) {
    for (std::size_t l = 0; l < nn::lane_count; ++l) expected[tap] += static_cast<double>(d_y[output][l]) * static_cast<double>(x[pixel][l]);
  });
  std::vector<T> made(expected.size());
  for (const double times : {1.0, 2.0}) {  // gradients are added
    nn::impl::winograd_weights<T>::run(c.s, x.data(), static_cast<std::size_t>(c.in_group()), d_y.data(),
                                       static_cast<std::size_t>(c.out_group()), static_cast<std::size_t>(c.groups), made.data());
    relative_error error;
    for (std::size_t i = 0; i < made.size(); ++i) error.add(static_cast<double>(made[i]), times * expected[i]);
    CHECK(error.value() < winograd_error<T>);
  }
}

}  // namespace

TEST_CASE("Images of every size, with padding of none to three") {
  for (const std::ptrdiff_t padding : {0, 1, 2, 3}) {
    for (std::ptrdiff_t size = 3; size <= 10; ++size) check<double>(small_convolution{3, 2, size, 13 - size, padding, 1});
  }
  check<float>(small_convolution{2, 3, 1, 1, 1, 2});
}

TEST_CASE("Channels that fill no vector and no block, more than a block of either") {
  check<float>(small_convolution{67, 35, 5, 6, 1, 2});
  check<float>(small_convolution{7, 67, 4, 4, 1, 1});
  check<float>(small_convolution{130, 5, 4, 4, 1, 1});
  check<double>(small_convolution{70, 33, 4, 3, 0, 1});
}

TEST_CASE("Few tiles at once, or all") {
  for (std::ptrdiff_t groups = 1; groups <= 8; ++groups) check<float>(small_convolution{9, 5, 4, 4, 1, groups});
  check<float>(small_convolution{2, 3, 30, 31, 1, 1});
  check<float>(small_convolution{129, 130, 3, 4, 1, 7});
}

}  // namespace winograd_weights_test
