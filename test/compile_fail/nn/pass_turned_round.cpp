// SPDX-License-Identifier: BSL-1.0
// A kernel that goes back takes what a pass makes for what it reads.
// expect: ipuflow: op 1 of block \\'A\\', .*halve_t, cannot be trained without backward_inputs\(layer, nn::inputs_pass<float, nn::in<shape<4
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

/// A vector half as long.
struct halve_t {};

constexpr tensor<float, 2> output_of(halve_t, tensor<float, 4>) { return {}; }
constexpr nn::layer_facts facts(halve_t, tensor<float, 4>) { return {}; }

template <class T>
void forward(halve_t, nn::forward_pass<T, nn::in<shape<4>>, nn::out<shape<2>>>) {}
#ifdef EXPECT_FAILURE
template <class T>
void backward_inputs(halve_t, nn::inputs_pass<T, nn::in<shape<2>>, nn::out<shape<4>>>) {}
#else
template <class T>
void backward_inputs(halve_t, nn::inputs_pass<T, nn::in<shape<4>>, nn::out<shape<2>>>) {}
#endif

constexpr auto p = single_stage(input<float, 3>, block<"A">(nn::linear<4>, halve_t{}));
static_assert(nn::stage_program<std::remove_const_t<decltype(p)>, 0>::parameter_count == 16);
