// SPDX-License-Identifier: BSL-1.0
// The name of a block as an argument.
// expect: ipuflow: a block has an empty name; give it one, as in block<\\"encoder\\">\(op\.\.\.\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block("a", add_one), block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one));
#endif
