// SPDX-License-Identifier: BSL-1.0
// A block whose name is empty.
// expect: ipuflow: a block has an empty name; give it one, as in block<\\"encoder\\">\(op\.\.\.\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, stage(block<"">(add_one)).ipu<0>(), block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, stage(block<"a">(add_one)).ipu<0>(), block<"b">(add_one));
#endif
