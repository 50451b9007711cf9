// SPDX-License-Identifier: BSL-1.0
// A branch that does not take what all branches are given.
// expect: ipuflow: concurrent branches take the same arguments, but branch 1 of stage 0 does not: in block \\'b\\' op 0, int \(\*\)\(int, int\), which takes \(int, int\), is given \(const int ?&\); make every branch take them
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr int sum(int x, int y) { return x + y; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, concurrent(block<"a">(add_one), block<"b">(sum)), block<"c">(sum));
#else
constexpr auto p = pipeline(input<int>, concurrent(block<"a">(add_one), block<"b">(add_one)), block<"c">(sum));
#endif
