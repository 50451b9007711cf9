// SPDX-License-Identifier: BSL-1.0
// Values that have not as many heads as the shares.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 3, nn::weighted_values_t, is given \(tensor<float, 16, 64>, const tensor<float, 16, 30> ?&\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 16, 36>, per_sample<"qkv", tensor<float, 16, 30>>, block<"A">(nn::attention_scores<4>, nn::causal_mask, nn::attention_shares, use<"qkv">(nn::weighted_values)));
#else
constexpr auto p = single_stage(input<float, 16, 36>, per_sample<"qkv", tensor<float, 16, 24>>, block<"A">(nn::attention_scores<4>, nn::causal_mask, nn::attention_shares, use<"qkv">(nn::weighted_values)));
#endif
static_assert(stages(p).size() == 1);
