// SPDX-License-Identifier: BSL-1.0
// A list of stages names a block twice.
// expect: ipuflow: block \\'b\\' is in stage 0 and in stage 1; name it once
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p, stage<"a", "b">(), stage<"b", "c">());
#else
constexpr auto q = regroup(p, stage<"a", "b">(), stage<"c">());
#endif
