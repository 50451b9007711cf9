// SPDX-License-Identifier: BSL-1.0
// A value is used that nothing provides.
// expect: ipuflow: nothing before op 0 of block \\'b\\' provides the value \\'rate\\'; declare it with per_sample or per_run, or keep it earlier
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr int sum(int x, int y) { return x + y; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, per_run<"rat", int>, block<"a">(add_one), block<"b">(use<"rate">(sum)));
#else
constexpr auto p = pipeline(input<int>, per_run<"rate", int>, block<"a">(add_one), block<"b">(use<"rate">(sum)));
#endif
