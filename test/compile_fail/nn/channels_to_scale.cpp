// SPDX-License-Identifier: BSL-1.0
// A squeeze and excitation of 8 channels behind a convolution that makes 16.
// expect: ipuflow: .* in block \\'A\\' op 7, nn::scale_channels_t, is given \(tensor<float, 8>, (const )?tensor<float, 16, 10, 10>.*\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 3, 12, 12>, block<"A">(nn::conv2d<16, 3>, nn::squeeze_excite<"channels", 8, 4>()));
#else
constexpr auto p = single_stage(input<float, 3, 12, 12>, block<"A">(nn::conv2d<16, 3>, nn::squeeze_excite<"channels", 16, 4>()));
#endif
static_assert(stages(p).size() == 1);
