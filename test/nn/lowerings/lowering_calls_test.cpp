// SPDX-License-Identifier: BSL-1.0
#include "../ipu/said.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>
#include <ipuflow/nn/lowerings/copy_lowering.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>

#include <doctest/doctest.h>

namespace lowering_calls_test {

using namespace ipuflow;

namespace {

/// Forward on tiles, and no way back.
struct one_way_t {};
template <class In>
constexpr In output_of(one_way_t, In) {
  return {};
}
template <class In>
constexpr nn::layer_facts facts(one_way_t, In) {
  return {};
}
template <class X>
ipu::step lower_forward(one_way_t, const nn::forward_lowering<nn::in<X>, nn::out<X>>&) {
  return {};
}

template <std::size_t Stage, class P>
constexpr nn::nn_fault verify_stage(const P&) {
  return nn::impl::verify_lowerings<P, nn::impl::step_types<nn::impl::steps_of_stage<P, Stage>>>(nn::planned<P, Stage, float>);
}

}  // namespace

TEST_CASE("A stage's layers have all the lowerings that its plan asks for, or the first that has not is named") {
  constexpr auto good = single_stage(input<float, 2, 3>, block<"A">(nn::flatten, nn::linear<4>, nn::relu));
  CHECK_FALSE(verify_stage<0>(good));
  constexpr auto first = single_stage(input<float, 3>, block<"A">(nn::relu, one_way_t{}));
  CHECK_FALSE(verify_stage<0>(first));  // nothing is learned before it: forward is all that is asked for
  constexpr auto later = pipeline(input<float, 3>, block<"A">(nn::linear<3>), block<"B">(nn::relu, one_way_t{}));
  const nn::nn_fault found = verify_stage<1>(later);
  CHECK(found.kind == nn::nn_wrong::no_lowering);
  CHECK(said(found).starts_with("ipuflow: op 1 of block 'B'"));
  CHECK(found.where.call.view().starts_with("lower_backward_inputs(layer, nn::inputs_lowering<"));
}

TEST_CASE("Lowerings are given the types of a layer's values, and the micro-batch only if they count") {
  using calls = nn::impl::lowering_calls<nn::linear_t<4>, nn::walk::list<tensor<float, 3>>, nn::walk::list<tensor<float, 4>>>;
  CHECK(std::is_same_v<calls::forward_type, nn::forward_lowering<nn::in<tensor<float, 3>>, nn::out<tensor<float, 4>>>>);
  CHECK_FALSE(nn::impl::counting<nn::relu_t>);
}

}  // namespace lowering_calls_test
