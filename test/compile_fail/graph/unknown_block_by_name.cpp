// SPDX-License-Identifier: BSL-1.0
// A block is asked for that there is not.
// expect: ipuflow: there is no block \\'B2\\'; the blocks are a, b, c
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto b = p[name<"B2">];
#else
constexpr auto b = p[name<"b">];
#endif
