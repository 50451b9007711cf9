// SPDX-License-Identifier: BSL-1.0
// More IPUs than stages.
// expect: ipuflow: 4 IPUs are given for 3 stages; give one entry for each stage
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = place<0, 1, 2, 3>(p);
#else
constexpr auto q = place<0, 1, 2>(p);
#endif
