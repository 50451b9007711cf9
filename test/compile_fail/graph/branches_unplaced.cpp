// SPDX-License-Identifier: BSL-1.0
// One IPU for two branches.
// expect: ipuflow: stage 1 has 2 concurrent branches but is placed on 1 IPU; give ipus\(\.\.\.\) with one for each branch
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), concurrent(block<"b">(add_one), block<"c">(add_one)));

#ifdef EXPECT_FAILURE
constexpr auto q = place<0, 1>(p);
#else
constexpr auto q = place<0, ipus(1, 2)>(p);
#endif
