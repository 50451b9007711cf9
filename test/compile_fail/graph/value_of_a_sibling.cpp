// SPDX-License-Identifier: BSL-1.0
// A branch uses what only the branch beside it keeps.
// expect: ipuflow: nothing before op 1 of block \\'b\\' provides the value \\'x\\'; declare it with per_sample or per_run, or keep it earlier
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr int sum(int x, int y) { return x + y; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, concurrent(block<"a">(keep<"x">, add_one), block<"b">(add_one, use<"x">(sum))), block<"c">(sum));
#else
constexpr auto p = pipeline(input<int>, block<"start">(keep<"x">),
                            concurrent(block<"a">(add_one), block<"b">(add_one, use<"x">(sum))), block<"c">(sum));
#endif
