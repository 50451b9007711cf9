// SPDX-License-Identifier: BSL-1.0
// The names of a stage in another order than that of the pipeline.
// expect: ipuflow: stage 0 names block \\'b\\' before block \\'a\\', which the data reach earlier; name the blocks of a stage in the pipeline\\'s order
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p, stage<"b", "a">(), stage<"c">());
#else
constexpr auto q = regroup(p, stage<"a", "b">(), stage<"c">());
#endif
