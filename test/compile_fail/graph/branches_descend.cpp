// SPDX-License-Identifier: BSL-1.0
// Blocks spread over branches so that they interleave.
// expect: ipuflow: block \\'c\\' is in branch 0 of stage 0 but the block before it in branch 1; list the branches in the order of their blocks
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p, concurrent(stage<"a", "c">(), stage<"b">()));
#else
constexpr auto q = regroup(p, concurrent(stage<"a", "b">(), stage<"c">()));
#endif
