// SPDX-License-Identifier: BSL-1.0
// Beginnings and ends of sequences move numbers where their names say, and gradients back.
#include "../layer_check.hpp"

#include <ipuflow/nn/layers/sequence_parts.hpp>

#include <cstddef>

namespace sequence_parts_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

template <class Layer, class In>
concept takes_part = requires { output_of(Layer{}, In{}); };
static_assert(takes_part<nn::position_t<2>, tensor<float, 3, 4>> && !takes_part<nn::position_t<3>, tensor<float, 3, 4>> &&
              !takes_part<nn::to_sequence_t, tensor<float, 3, 4>> && !takes_part<nn::swap_axes_t, tensor<float, 3, 4, 5>> && !takes_part<nn::class_token_t, tensor<float, 4>>);

}  // namespace

TEST_CASE("gradients go back where numbers came from") {
  check_layer(nn::to_sequence, tensor<float, 3, 2, 2>{});
  check_layer(nn::swap_axes, tensor<float, 4, 3>{});
  check_layer(nn::class_token, tensor<float, 4, 3>{});
  check_layer(nn::position<2>, tensor<float, 4, 3>{});
}

TEST_CASE("a place of an image is a position") {
  bench<float, nn::to_sequence_t, tensor<float, 3, 2, 5>> test{nn::lane_count + 2};
  test.forward();
  for (std::size_t s = 0; s < test.x.samples; ++s) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t place = 0; place < 10; ++place) REQUIRE(test.y.get(s, place * 3 + c) == test.x.get(s, c * 10 + place));
    }
  }
}

TEST_CASE("positions and features change places, and change back") {
  bench<float, nn::swap_axes_t, tensor<float, 7, 2>> test{nn::lane_count + 2};
  test.forward();
  bench<float, nn::swap_axes_t, tensor<float, 2, 7>> back{test.x.samples};
  back.x.lanes = test.y.lanes;
  back.forward();
  for (std::size_t s = 0; s < test.x.samples; ++s) {
    for (std::size_t p = 0; p < 7; ++p) {
      for (std::size_t f = 0; f < 2; ++f) {
        REQUIRE(test.y.get(s, f * 7 + p) == test.x.get(s, p * 2 + f));
        REQUIRE(back.y.get(s, p * 2 + f) == test.x.get(s, p * 2 + f));
      }
    }
  }
}

TEST_CASE("the class token stands in front of every sample, and is found there") {
  bench<float, nn::class_token_t, tensor<float, 4, 3>> test{3};
  test.forward();
  bench<float, nn::position_t<0>, tensor<float, 5, 3>> first{3};
  first.x.lanes = test.y.lanes;
  first.forward();
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t f = 0; f < 3; ++f) CHECK(first.y.get(s, f) == test.values[f]);
    for (std::size_t e = 0; e < 12; ++e) CHECK(test.y.get(s, 3 + e) == test.x.get(s, e));
  }
}

}  // namespace sequence_parts_test
