// SPDX-License-Identifier: BSL-1.0
// A tensor of two axes is a sequence, which has no channels.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 0, nn::batch_norm_t, is given \(tensor<float, 16, 12>\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 16, 12>, block<"A">(nn::batch_norm));
#else
constexpr auto p = single_stage(input<float, 16, 12>, block<"A">(nn::layer_norm));
#endif
static_assert(stages(p).size() == 1);
