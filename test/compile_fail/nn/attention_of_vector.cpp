// SPDX-License-Identifier: BSL-1.0
// Attention is between the positions of a sequence; a vector has none.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 0, nn::attention_t<2, false>, is given \(tensor<float, 36>\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 36>, block<"A">(nn::attention<2>));
#else
constexpr auto p = single_stage(input<float, 16, 36>, block<"A">(nn::attention<2>));
#endif
static_assert(stages(p).size() == 1);
