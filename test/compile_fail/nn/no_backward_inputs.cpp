// SPDX-License-Identifier: BSL-1.0
// A layer behind one with parameters has no way back.
// expect: ipuflow: op 1 of block \\'A\\', .*twice_t, cannot be trained without backward_inputs\(layer, nn::inputs_pass<float, nn::in<shape<3.*\); write it in the namespace of the layer, or include the header that has it
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
  return {};
}
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
#ifndef EXPECT_FAILURE
template <class T, class S>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}
#endif

constexpr auto p = single_stage(input<float, 3>, block<"A">(nn::linear<3>, twice_t{}));
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 12);
