// SPDX-License-Identifier: BSL-1.0
// A stage that is to be trained has an op that nobody knows the gradient of.
// expect: ipuflow: op 1 of block \\'A\\', .*, is not a layer that can be trained; give it constexpr facts\(\) and kernels, or run it as a callable
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

constexpr tensor<float, 3> twice(tensor<float, 3> x) { return x; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<float, 3>, block<"A">(nn::relu, twice), block<"B">(nn::relu));
#else
constexpr auto p = pipeline(input<float, 3>, block<"A">(nn::relu, nn::tanh), block<"B">(nn::relu));
#endif
static_assert(nn::stage_program<decltype(p), 0>::parameter_count == 0);
