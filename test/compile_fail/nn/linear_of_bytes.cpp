// SPDX-License-Identifier: BSL-1.0
// A layer that computes with real numbers is given bytes.
// expect: ipuflow: stage 0 cannot compute with whole numbers: in block \\'A\\' op 0, nn::linear_t<8>, is given \(tensor<unsigned char, 20>\); make them real before it, with nn::cast<float>
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<std::uint8_t, 20>, block<"A">(nn::linear<8>));
#else
constexpr auto p = single_stage(input<std::uint8_t, 20>, block<"A">(nn::cast<float>, nn::linear<8>));
#endif
static_assert(stages(p).size() == 1);
