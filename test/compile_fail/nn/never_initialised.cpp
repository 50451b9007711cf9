// SPDX-License-Identifier: BSL-1.0
// A layer has parameters, and nothing says what they begin as.
// expect: ipuflow: op 1 of block \\'A\\', .*twice_t, has 1 parameter and state that nothing sets; write initialise_layer\(layer, type, seed, values, state\)
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

struct twice_t {};

template <class Type>
constexpr Type output_of(twice_t, Type) {
  return {};
}
template <class Type>
constexpr nn::layer_facts facts(twice_t, Type) {
  return {.parameters = 1};
}
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
template <class T, class S>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}
template <class T, class S>
void backward_weights(twice_t, nn::weights_pass<T, nn::in<S>, nn::out<S>>) {}
#ifndef EXPECT_FAILURE
template <class Type, class T>
constexpr void initialise_layer(twice_t, Type, std::uint64_t, T*, T*) {}
#endif

constexpr auto p = single_stage(input<float, 3>, block<"A">(nn::linear<3>, twice_t{}));
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 13);
