// SPDX-License-Identifier: BSL-1.0
// The loss of a sequence wants a label for each position.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'A\\' op 0, nn::cross_entropy_t, is given \(tensor<float, 16, 12>, const unsigned char ?&\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 16, 12>, per_sample<"next", std::uint8_t>,
                            block<"A">(use<"next">(nn::cross_entropy)));
#else
constexpr auto p = single_stage(input<float, 16, 12>, per_sample<"next", tensor<std::uint8_t, 16>>,
                            block<"A">(use<"next">(nn::cross_entropy)));
#endif
static_assert(stages(p).size() == 1);
