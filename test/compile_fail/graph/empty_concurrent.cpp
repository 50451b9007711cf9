// SPDX-License-Identifier: BSL-1.0
// Concurrency without branches.
// expect: ipuflow: a pipeline or stage without blocks does nothing; give it block<\.\.\.>\(op\.\.\.\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(add_one), concurrent(), block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), concurrent(block<"b">(add_one)));
#endif
