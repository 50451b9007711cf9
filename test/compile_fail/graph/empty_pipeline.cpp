// SPDX-License-Identifier: BSL-1.0
// A pipeline of nothing.
// expect: ipuflow: a pipeline or stage without blocks does nothing; give it block<\.\.\.>\(op\.\.\.\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>);
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one));
#endif
