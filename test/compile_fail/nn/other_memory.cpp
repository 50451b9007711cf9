// SPDX-License-Identifier: BSL-1.0
// A layer makes more than it is given, and says that it is the same memory.
// expect: ipuflow: op 1 of block \\'A\\', .*twice_t, makes 6 elements in the memory of an input of 3; leave same_memory out of its facts
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

struct twice_t {};

constexpr tensor<float, 6> output_of(twice_t, tensor<float, 3>) { return {}; }
#ifdef EXPECT_FAILURE
template <class Type>
constexpr nn::layer_facts facts(twice_t, Type) {
  return {.same_memory = true};
}
#else
template <class Type>
constexpr nn::layer_facts facts(twice_t, Type) {
  return {};
}
#endif
template <class T, class X, class Y>
void forward(twice_t, nn::forward_pass<T, nn::in<X>, nn::out<Y>>) {}
template <class T, class X, class Y>
void backward_inputs(twice_t, nn::inputs_pass<T, nn::in<X>, nn::out<Y>>) {}

constexpr auto p = single_stage(input<float, 3>, block<"A">(nn::linear<3>, twice_t{}));
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 12);
