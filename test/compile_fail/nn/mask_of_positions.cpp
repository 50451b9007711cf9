// SPDX-License-Identifier: BSL-1.0
// A mask is of scores, which have a number for each key of each head.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 0, nn::causal_mask_t, is given \(tensor<float, 16, 36>\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 16, 36>, block<"A">(nn::causal_mask));
#else
constexpr auto p = single_stage(input<float, 16, 36>, block<"A">(nn::attention_scores<4>, nn::causal_mask));
#endif
static_assert(stages(p).size() == 1);
