// SPDX-License-Identifier: BSL-1.0
// What a layer costs is known only when the program runs.
// expect: ipuflow: op 1 of block \\'A\\', .*twice_t, is not a layer that can be trained; give it constexpr facts\(\) and kernels, or run it as a callable
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
inline nn::layer_facts facts(twice_t, Type) {
  return {};
}
#else
template <class Type>
constexpr nn::layer_facts facts(twice_t, Type) {
  return {};
}
#endif
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
template <class T, class S>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}

constexpr auto p = single_stage(input<float, 3>, block<"A">(nn::linear<3>, twice_t{}));
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 12);
