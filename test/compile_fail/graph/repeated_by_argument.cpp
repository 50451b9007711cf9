// SPDX-License-Identifier: BSL-1.0
// The number of repetitions as an argument.
// expect: ipuflow: repeat is given a number in parentheses, which is a part of its type; write repeat<3>\(block...\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, repeat(block<"a">(add_one), 3));
#else
constexpr auto p = pipeline(input<int>, repeat<3>(block<"a">(add_one)));
#endif
