// SPDX-License-Identifier: BSL-1.0
// A list of stages names a block that there is not.
// expect: ipuflow: there is no block \\'B2\\'; the blocks are a, b, c
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p, stage<"a", "B2">(), stage<"b", "c">());
#else
constexpr auto q = regroup(p, stage<"a">(), stage<"b", "c">());
#endif
