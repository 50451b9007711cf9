// SPDX-License-Identifier: BSL-1.0
// Segments are whole numbers.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 1, nn::segment_mask_t, is given \(tensor<float, 16, 64>, const tensor<float, 16> ?&\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 16, 36>, per_sample<"text", tensor<float, 16>>, block<"A">(nn::attention_scores<4>, use<"text">(nn::segment_mask)));
#else
constexpr auto p = single_stage(input<float, 16, 36>, per_sample<"text", tensor<std::uint8_t, 16>>, block<"A">(nn::attention_scores<4>, use<"text">(nn::segment_mask)));
#endif
static_assert(stages(p).size() == 1);
