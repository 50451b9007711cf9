// SPDX-License-Identifier: BSL-1.0
// A layer of a user's own keeps a number that its kernels would never see.
// expect: ipuflow: op 0 of block \\'A\\', .*scaled_t, is a layer with members, of which its kernels learn nothing; make them template arguments of its type
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstddef>

using namespace ipuflow;

struct scaled_t {
#ifdef EXPECT_FAILURE
  float factor = 1;
#endif
};

template <std::size_t N>
constexpr tensor<float, N> output_of(scaled_t, tensor<float, N>) { return {}; }
template <std::size_t N>
constexpr nn::layer_facts facts(scaled_t, tensor<float, N>) { return {.forward_work = N, .inputs_need_input = false}; }
template <class T, class S>
void forward(scaled_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
template <class T, class S>
void backward_inputs(scaled_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}

constexpr auto p = pipeline(input<float, 3>, block<"A">(scaled_t{}), block<"B">(nn::relu));
static_assert(nn::stage_program<decltype(p), 0>::parameter_count == 0);
