// SPDX-License-Identifier: BSL-1.0
// A kernel is written for vectors, the layer is given an image.
// expect: ipuflow: op 0 of block \\'A\\', .*twice_t, cannot be trained without forward\(layer, nn::forward_pass<float, nn::in<shape<1.*, 4.*, 4
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
template <class T, std::size_t N>
void forward(twice_t, nn::forward_pass<T, nn::in<shape<N>>, nn::out<shape<N>>>) {}
template <class T, class S>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 1, 4, 4>, block<"A">(twice_t{}));
#else
constexpr auto p = single_stage(input<float, 16>, block<"A">(twice_t{}));
#endif
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 0);
