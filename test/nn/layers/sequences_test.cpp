// SPDX-License-Identifier: BSL-1.0
// What layers make of a sequence, the tensor of two axes: those that look at one vector at a time do to each position what they do to a
// sample, with the same bits, and gradients of what they have learned are sums over positions.
#include "layer_check.hpp"

#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/normalise.hpp>
#include <ipuflow/nn/layers/softmax.hpp>

#include <cstddef>
#include <cstdint>

namespace sequences_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

/// Values in the order of memory, sample after sample, are the same numbers for both.
template <class T, class Layer, std::size_t Positions, std::size_t Features>
void check_each_position(Layer, tensor<T, Positions, Features>, std::size_t samples) {
  bench<T, Layer, tensor<T, Positions, Features>> whole{samples};
  bench<T, Layer, tensor<T, Features>> each{samples * Positions};
  REQUIRE(whole.values == each.values);
  constexpr std::size_t outputs = decltype(each)::out_shape::elements;
  for (auto run : {0, 1}) {
    if (run == 0) {
      whole.forward();
      each.forward();
    } else {
      whole.backward();
      each.backward();
    }
  }
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < Positions; ++p) {
      for (std::size_t f = 0; f < outputs; ++f) REQUIRE(whole.y.get(s, p * outputs + f) == each.y.get(s * Positions + p, f));
      for (std::size_t f = 0; f < Features; ++f) REQUIRE(whole.d_x.get(s, p * Features + f) == each.d_x.get(s * Positions + p, f));
    }
  }
  for (std::size_t i = 0; i < whole.d_values.size(); ++i) {  // those of biases are added up in another order
    REQUIRE(whole.d_values[i] == doctest::Approx(each.d_values[i]).epsilon(1e-5).scale(1));
  }
}

template <class Layer>
void check_layer_of_positions(Layer layer) {
  check_layer(layer, tensor<float, 5, 3>{});
  check_layer(layer, tensor<float, nn::lane_count, 4>{}, 5);
  for (const std::size_t samples : {std::size_t{1}, std::size_t{3}, nn::lane_count + 1}) {
    check_each_position(layer, tensor<float, 5, 20>{}, samples);
    check_each_position(layer, tensor<double, 7, 3>{}, samples);
  }
}

}  // namespace

TEST_CASE("each position is a sample to layers that look at one vector at a time") {
  check_layer_of_positions(nn::linear<6>);
  check_layer_of_positions(nn::layer_norm);
  check_layer_of_positions(nn::softmax);
  check_layer_of_positions(nn::gelu);
  check_layer_of_positions(nn::relu);
  check_layer_of_positions(nn::normalise<0.5, 0.25>);
}

TEST_CASE("the mask of a sequence is that of its sample, in the order of memory") {
  check_layer(nn::dropout<0.25>, tensor<float, 5, 3>{});
  using flat = bench<float, nn::dropout_t<0.5>, tensor<float, 3 * 7>>;
  using sequence = bench<float, nn::dropout_t<0.5>, tensor<float, 3, 7>>;
  flat one{2 * nn::lane_count + 1};
  sequence other{2 * nn::lane_count + 1};
  one.forward();
  other.forward();
  for (std::size_t s = 0; s < one.x.samples; ++s) {
    for (std::size_t e = 0; e < 21; ++e) REQUIRE(one.y.get(s, e) == other.y.get(s, e));
  }
  flat last{1};
  sequence last_sequence{1};
  last.context.first_group = last_sequence.context.first_group = 2;
  last.forward();
  last_sequence.forward();
  for (std::size_t e = 0; e < 21; ++e) REQUIRE(last.y.get(0, e) == last_sequence.y.get(0, e));
}

TEST_CASE("flattening takes positions out of lanes") {
  check_layer(nn::flatten, tensor<float, 5, 3>{});
  bench<float, nn::flatten_t, tensor<float, 5, 3>> test{nn::lane_count + 3};
  test.forward();
  for (std::size_t s = 0; s < test.x.samples; ++s) {
    for (std::size_t e = 0; e < 15; ++e) REQUIRE(test.y.get(s, e) == test.x.get(s, e));
  }
}

TEST_CASE("the facts of a sequence are those of its positions, the parameters those of one") {
  constexpr nn::layer_facts one = facts(nn::linear<6>, tensor<float, 4>{}), all = facts(nn::linear<6>, tensor<float, 5, 4>{});
  CHECK(all.parameters == one.parameters);
  CHECK(all.biases == one.biases);
  CHECK(all.forward_work == 5 * one.forward_work);
  CHECK(all.input_work == 5 * one.input_work);
  CHECK(all.weight_work == 5 * one.weight_work);
}

}  // namespace sequences_test
