// SPDX-License-Identifier: BSL-1.0
// Heads that do not divide the features of a position.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 1, nn::attention_scores_t<5>, is given \(tensor<float, 16, 36>\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 16, 60>, block<"A">(nn::linear<36>, nn::attention_scores<5>));
#else
constexpr auto p = single_stage(input<float, 16, 60>, block<"A">(nn::linear<36>, nn::attention_scores<4>));
#endif
static_assert(stages(p).size() == 1);
