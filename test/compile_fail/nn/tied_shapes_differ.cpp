// SPDX-License-Identifier: BSL-1.0
// A tied layer has another number of outputs than its table has rows.
// expect: ipuflow: op 1 of block \\'head\\' shares the weights of \\'embed\[0\]\\', but their shapes are \[21, 24\] and \[20, 24\]; both have as many rows and columns
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr std::size_t scores = 21;
#else
constexpr std::size_t scores = 20;
#endif
constexpr auto p = single_stage(input<std::uint8_t, 16>, block<"embed">(nn::embedding<20, 24>),
                            block<"head">(nn::layer_norm, nn::tied<"embed[0]">(nn::linear<scores>)));
static_assert(nn::parameter_count(p) == 20 * 24 + 2 * 24 + 20);
