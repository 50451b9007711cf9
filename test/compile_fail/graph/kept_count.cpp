// SPDX-License-Identifier: BSL-1.0
// Two names for one value.
// expect: ipuflow: keep in block \\'a\\', op 1, has 2 names for 1 value \(int\); give one name for each
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(add_one, keep<"x", "y">), block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one, keep<"x">), block<"b">(add_one));
#endif
