// SPDX-License-Identifier: BSL-1.0
// A stage that begins behind the last op of a block.
// expect: ipuflow: block \\'b\\' has 2 ops, so no part of it begins at op 2; cut it before one of its own, counted from 0
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one, add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p, stage<"a", "b">(), stage<"b[2]">());
#else
constexpr auto q = regroup(p, stage<"a", "b">(), stage<"b[1]">());
#endif
