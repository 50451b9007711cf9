// SPDX-License-Identifier: BSL-1.0
// Blocks are regrouped into no stages.
// expect: ipuflow: a pipeline or stage without blocks does nothing; give it block<\.\.\.>\(op\.\.\.\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p);
#else
constexpr auto q = regroup(p, stage<"a">(), stage<"b">());
#endif
