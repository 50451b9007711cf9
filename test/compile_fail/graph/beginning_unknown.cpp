// SPDX-License-Identifier: BSL-1.0
// Stages that are to begin at a block that is not there.
// expect: ipuflow: there is no block \\'c\\'; the blocks are a, b
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one, add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup_at<"c">(p);
#else
constexpr auto q = regroup_at<"b">(p);
#endif
