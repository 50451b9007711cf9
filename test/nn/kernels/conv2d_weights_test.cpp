// SPDX-License-Identifier: BSL-1.0
// The gradient itself is checked with the other kernels, in conv2d_kernels_test.cpp.
#include <ipuflow/nn/kernels/conv2d_weights.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace conv2d_weights_test {

using namespace ipuflow;

constexpr nn::impl::conv2d_shape shape_of_group = nn::impl::conv_shape_of<4, 3, 2, 1, 2, 6, 7, 9>();
TEST_CASE("Biases get the sum of their plane over all samples") {
  std::vector<nn::lanes<float>> gradient(shape_of_group.out_elements(), nn::lanes<float>::all(0.5f));
  float biases[2] = {1, 2};
  nn::impl::add_plane_sums<shape_of_group>(gradient.data(), biases);
  CHECK(biases[0] == 1 + 10 * static_cast<float>(nn::lane_count));
  CHECK(biases[1] == 2 + 10 * static_cast<float>(nn::lane_count));
}

}  // namespace conv2d_weights_test
