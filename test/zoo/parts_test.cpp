// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/zoo/parts.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace parts_test {

using namespace ipuflow;
using namespace ipuflow::zoo::impl;

static_assert(std::is_same_v<decltype(name_of<joined(joined("layer", 12), " b")>), const fixed_string<9>>,
              "the type of the literal of the same text");

TEST_CASE("Names are joined of words and numbers") {
  CHECK(joined("layer1.", 30).view() == "layer1.30");
  CHECK(name_of<joined("a", "b")> == fixed_string{"ab"});
}

TEST_CASE("A convolution keeps the size of its image, or divides it by the stride; there are no biases") {
  using in = tensor<float, 8, 14, 15>;
  CHECK(std::is_same_v<decltype(output_of(convolution<4, 5>, in{})), tensor<float, 4, 14, 15>>);
  CHECK(std::is_same_v<decltype(output_of(convolution<4, 3, 2>, in{})), tensor<float, 4, 7, 8>>);
  CHECK(facts(convolution<8, 3, 1, 8>, in{}).parameters == 8 * 9);
}

}  // namespace parts_test
