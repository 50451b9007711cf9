// SPDX-License-Identifier: BSL-1.0
// Stages that run against the data.
// expect: ipuflow: block \\'b\\' is in stage 0 but the block before it in stage 1; stages follow the data, so list blocks in the order in which it flows
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup(p, stage<"b", "c">(), stage<"a">());
#else
constexpr auto q = regroup(p, stage<"a">(), stage<"b", "c">());
#endif
