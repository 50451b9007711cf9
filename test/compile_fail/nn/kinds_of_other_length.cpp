// SPDX-License-Identifier: BSL-1.0
// A kind for each position.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 0, nn::add_embedding_t<2>, is given \(tensor<float, 16, 12>, const tensor<unsigned char, 15> ?&\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 16, 12>, per_sample<"kind", tensor<std::uint8_t, 15>>,
                            block<"A">(use<"kind">(nn::add_embedding<2>)));
#else
constexpr auto p = single_stage(input<float, 16, 12>, per_sample<"kind", tensor<std::uint8_t, 16>>,
                            block<"A">(use<"kind">(nn::add_embedding<2>)));
#endif
static_assert(stages(p).size() == 1);
