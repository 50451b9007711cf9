// SPDX-License-Identifier: BSL-1.0
// A function stands where a block is meant.
// expect: ipuflow: argument 1 of pipeline\(\.\.\.\) does not belong there, it is int \(\*\)\(int\); give it inputs and named values, then stages
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, add_one, block<"b">(add_one), block<"c">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));
#endif
