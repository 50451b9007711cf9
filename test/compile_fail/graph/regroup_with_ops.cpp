// SPDX-License-Identifier: BSL-1.0
// A list for regrouping brings ops of its own.
// expect: ipuflow: argument 1 of regroup\(\.\.\.\) does not belong there, it is 
// expect: ; give it the stages by name: stage<
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p, stage<"a">(), block<"b">(add_one));
#else
constexpr auto q = regroup(p, stage<"a">(), stage<"b">());
#endif
