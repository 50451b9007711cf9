// SPDX-License-Identifier: BSL-1.0
// A depthwise convolution with the groups of another layer.
// expect: ipuflow: .* in block \\'A\\' op 1, nn::conv2d_t<8, 3, 1, 1, 8, false>, is given \(tensor<float, 12, 10, 10>\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 3, 10, 10>, block<"A">(nn::conv2d<12, 1>, without_biases(nn::conv2d<8, 3, 1, 1, 8>)));
#else
constexpr auto p = single_stage(input<float, 3, 10, 10>, block<"A">(nn::conv2d<12, 1>, without_biases(nn::conv2d<12, 3, 1, 1, 12>)));
#endif
static_assert(stages(p).size() == 1);
