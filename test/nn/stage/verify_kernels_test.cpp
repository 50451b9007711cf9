// SPDX-License-Identifier: BSL-1.0
#include "../ipu/said.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/stage/verify_kernels.hpp>

#include <doctest/doctest.h>

namespace verify_kernels_test {

using namespace ipuflow;

namespace {

/// A layer of which a part is left out.
enum class part { none, forward, inputs, weights, initialise, biases, memory };
template <part Without>
struct partial_t {};
template <part Without, element E, std::size_t N>
constexpr tensor<E, Without == part::memory ? N + 1 : N> output_of(partial_t<Without>, tensor<E, N>) {
  return {};
}
template <part Without, class Type>
constexpr nn::layer_facts facts(partial_t<Without>, Type) {
  return {.parameters = 3, .biases = Without == part::biases ? 4u : 0u, .same_memory = Without == part::memory};
}
template <part Without, class Type, class T>
  requires(Without != part::initialise)
constexpr void initialise_layer(partial_t<Without>, Type, std::uint64_t, T*, T*) {}
template <part Without, class T, class X, class Y>
  requires(Without != part::forward)
void forward(partial_t<Without>, nn::forward_pass<T, nn::in<X>, nn::out<Y>>) {}
template <part Without, class T, class X, class Y>
  requires(Without != part::inputs)
void backward_inputs(partial_t<Without>, nn::inputs_pass<T, nn::in<X>, nn::out<Y>>) {}
template <part Without, class T, class X, class Y>
  requires(Without != part::weights)
void backward_weights(partial_t<Without>, nn::weights_pass<T, nn::in<X>, nn::out<Y>>) {}

template <part Without, std::size_t Stage = 1>
constexpr nn::nn_fault found() {
  constexpr auto p = pipeline(input<float, 2>, block<"A">(nn::linear<3>), block<"B">(nn::relu, partial_t<Without>{}));
  using types = nn::impl::step_types<nn::impl::steps_of_stage<std::remove_const_t<decltype(p)>, Stage>>;
  return nn::impl::verify_kernels<decltype(p), types, float>(nn::impl::view_of(nn::planned<decltype(p), Stage, float>));
}

}  // namespace

TEST_CASE("A stage is fine if its layers have what its plan asks for") {
  CHECK_FALSE(found<part::none>());
  CHECK_FALSE(found<part::forward, 0>());
}

TEST_CASE("Otherwise the first kernel that is missing is named, with what it must take") {
  CHECK(said(found<part::forward>()).starts_with("ipuflow: op 1 of block 'B'"));
  CHECK(found<part::forward>().where.call.view().starts_with("forward(layer, nn::forward_pass<float, nn::in<shape<3>"));
  CHECK(found<part::inputs>().where.call.view().starts_with("backward_inputs(layer, nn::inputs_pass<float, "));
  CHECK(found<part::weights>().where.call.view().starts_with("backward_weights(layer, nn::weights_pass<float, "));
}

TEST_CASE("Numbers that nothing sets, biases that are no parameters, and memory of another size are found") {
  CHECK(found<part::initialise>().kind == nn::nn_wrong::never_initialised);
  CHECK(found<part::initialise>().got == 3);
  CHECK(found<part::biases>().kind == nn::nn_wrong::too_many_biases);
  CHECK(found<part::memory>().kind == nn::nn_wrong::other_memory);
  CHECK(found<part::memory>().got == 4);
  CHECK(found<part::memory>().limit == 3);
}

}  // namespace verify_kernels_test
