// SPDX-License-Identifier: BSL-1.0
// A layer that computes with real numbers is given bytes.
// expect: ipuflow: stage 0 cannot compute with whole numbers: in block \\'A\\' op 0, nn::conv2d_t<8, 5, 1, 0, 1, true>, is given \(tensor<unsigned char, 1, 28, 28>\); make them real before it, with nn::cast<float>
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<std::uint8_t, 1, 28, 28>, block<"A">(nn::conv2d<8, 5>));
#else
constexpr auto p = single_stage(input<std::uint8_t, 1, 28, 28>, block<"A">(nn::cast<float>, nn::conv2d<8, 5>));
#endif
static_assert(stages(p).size() == 1);
