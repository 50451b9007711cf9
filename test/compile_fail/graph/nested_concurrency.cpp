// SPDX-License-Identifier: BSL-1.0
// Concurrency inside concurrency.
// expect: ipuflow: concurrent\(\.\.\.\) stands inside concurrent\(\.\.\.\); put all branches side by side in one
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(add_one),
                            concurrent(block<"b">(add_one), concurrent(block<"c">(add_one), block<"d">(add_one))));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one),
                            concurrent(block<"b">(add_one), block<"c">(add_one), block<"d">(add_one)));
#endif
