// SPDX-License-Identifier: BSL-1.0
// A partition of three blocks is asked of a pipeline of two.
// expect: ipuflow: a partition of 3 blocks is asked of a pipeline of 2; balance its own blocks, one by one in order
#include <ipuflow/graph.hpp>
#include <ipuflow/plan/partition/in_stages.hpp>

using namespace ipuflow;

constexpr int twice(int x) { return 2 * x; }
constexpr auto two = single_stage(input<int>, block<"a">(twice), block<"b">(twice));

#ifdef EXPECT_FAILURE
constexpr auto staged = plan::in_stages<plan::balance({{1}, {1}, {1}}, {.stages = 2})>(two);
#else
constexpr auto staged = plan::in_stages<plan::balance({{1}, {1}}, {.stages = 2})>(two);
#endif
