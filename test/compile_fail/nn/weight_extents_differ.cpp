// SPDX-License-Identifier: BSL-1.0
// The axes of a layer's weights count its biases, too.
// expect: ipuflow: op 1 of block \\'A\\', .*twice_t, has 4 weights beside its biases but weight_extents of 6; these multiply to the number of its weights
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

struct twice_t {};

template <class Type>
constexpr Type output_of(twice_t, Type) {
  return {};
}
#ifdef EXPECT_FAILURE
template <class Type>
constexpr nn::layer_facts facts(twice_t, Type) {
  return {.parameters = 6, .biases = 2, .weight_extents = {{2, 3}, 2}};
}
#else
template <class Type>
constexpr nn::layer_facts facts(twice_t, Type) {
  return {.parameters = 6, .biases = 2, .weight_extents = {{2, 2}, 2}};
}
#endif
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
template <class T, class S>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}
template <class T, class S>
void backward_weights(twice_t, nn::weights_pass<T, nn::in<S>, nn::out<S>>) {}
template <class Type, class T>
constexpr void initialise_layer(twice_t, Type, std::uint64_t, T*, T*) {}

constexpr auto p = single_stage(input<float, 3>, block<"A">(nn::linear<3>, twice_t{}));
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 18);
