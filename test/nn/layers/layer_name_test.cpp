// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/layer_name.hpp>
#include <ipuflow/nn/layers/loss.hpp>

#include <doctest/doctest.h>

namespace layer_name_test {

using namespace ipuflow;

TEST_CASE("A layer is called after its type, without what stands around it") {
  CHECK(nn::impl::layer_name(type_name<nn::conv2d_t<10, 5, 1, 0, 1, true>>()) == "conv2d");
  CHECK(nn::impl::layer_name(type_name<nn::cross_entropy_t>()) == "cross_entropy");
  CHECK(nn::impl::layer_name("mine") == "mine");
  CHECK(nn::impl::layer_name("some::place::layer_t<std::pair<a::b, c>>") == "layer");
}

TEST_CASE("Behind block and layer there is room to say what of it") {
  CHECK(nn::impl::layer_name("B1", "nn::conv2d_t<10>").view() == "B1 conv2d");
  CHECK(nn::impl::layer_name("", "nn::copy_t").view() == "copy");
  CHECK(nn::impl::layer_name("a block with a long name", "nn::mean_squared_error_t").size() + 12 <= 31);
}

}  // namespace layer_name_test
