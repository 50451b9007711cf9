// SPDX-License-Identifier: BSL-1.0
// A layer says what it makes and costs, but not how.
// expect: ipuflow: op 1 of block \\'A\\', .*twice_t, cannot be trained without forward\(layer, nn::forward_pass<float, nn::in<shape<3.*, nn::out<shape<3.*\); write it in the namespace of the layer, or include the header that has it
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
#ifndef EXPECT_FAILURE
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
#endif
template <class T, class S>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}

constexpr auto p = single_stage(input<float, 3>, block<"A">(nn::linear<3>, twice_t{}));
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 12);
