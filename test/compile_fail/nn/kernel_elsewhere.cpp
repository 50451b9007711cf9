// SPDX-License-Identifier: BSL-1.0
// A kernel stands in another namespace than its layer, where nothing finds it.
// expect: ipuflow: op 1 of block \\'A\\', mine::twice_t, cannot be trained without forward\(
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

namespace mine {
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
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}
#ifndef EXPECT_FAILURE
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
#endif
}  // namespace mine
using mine::twice_t;

#ifdef EXPECT_FAILURE
template <class T, class S>
void forward(twice_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
#endif

constexpr auto p = single_stage(input<float, 3>, block<"A">(nn::linear<3>, twice_t{}));
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 12);
