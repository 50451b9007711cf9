// SPDX-License-Identifier: BSL-1.0
// A global pool where there are no planes any more.
// expect: ipuflow: .* in block \\'A\\' op 1, nn::global_average_pool_t, is given \(tensor<float, 432>\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 3, 12, 12>, block<"A">(nn::flatten, nn::global_average_pool));
#else
constexpr auto p = single_stage(input<float, 3, 12, 12>, block<"A">(nn::global_average_pool, nn::linear<4>));
#endif
static_assert(stages(p).size() == 1);
