// SPDX-License-Identifier: BSL-1.0
// A list of stages forgets a block.
// expect: ipuflow: block \\'c\\' is in none of the 2 stages; add it to one
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p, stage<"a">(), stage<"b">());
#else
constexpr auto q = regroup(p, stage<"a">(), stage<"b", "c">());
#endif
