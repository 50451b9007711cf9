// SPDX-License-Identifier: BSL-1.0
// Blocks that fit no partition into two stages.
// expect: ipuflow: no partition into 2 stages fits: the closest one has stage 1, blocks 1 to 2, which needs 2000 bytes of 1999, 1 too many; give more memory or stages, recompute, or cut these blocks
#include <ipuflow/plan/partition/balance.hpp>

using namespace ipuflow;

constexpr plan::chain_block blocks[]{{1, 2, 0, 400}, {1, 2, 0, 300}, {1, 2, 0, 200}};

#ifdef EXPECT_FAILURE
static_assert(accept<plan::verify_balance(blocks, {.stages = 2, .chip = {.memory = 1999}})>());
#else
static_assert(accept<plan::verify_balance(blocks, {.stages = 2, .chip = {.memory = 2000}})>());
#endif
