// SPDX-License-Identifier: BSL-1.0
// Tokens are whole numbers.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 0, nn::embedding_t<90, 12, float>, is given \(tensor<float, 16>\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 16>, block<"A">(nn::embedding<90, 12>));
#else
constexpr auto p = single_stage(input<std::uint16_t, 16>, block<"A">(nn::embedding<90, 12>));
#endif
static_assert(stages(p).size() == 1);
