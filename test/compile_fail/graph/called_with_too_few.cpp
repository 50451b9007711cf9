// SPDX-License-Identifier: BSL-1.0
// A pipeline that is called without one of its values.
// expect: ipuflow: a pipeline is called with all that it declares, inputs, then named values; give it those, of their types
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

constexpr int sum(int x, int y) { return x + y; }
constexpr auto two = pipeline(input<int>, per_run<"k", int>, block<"a">(add_one), block<"b">(use<"k">(sum)));

#ifdef EXPECT_FAILURE
int called() { return two(3); }
#else
int called() { return two(3, 4); }
#endif
