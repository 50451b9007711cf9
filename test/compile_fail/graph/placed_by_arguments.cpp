// SPDX-License-Identifier: BSL-1.0
// Numbers of IPUs as arguments.
// expect: ipuflow: place is given a number in parentheses, which is a part of its type; write place<0, 1>\(pipeline\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

constexpr auto two = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one));

#ifdef EXPECT_FAILURE
constexpr auto p = place(two, 1, 0);
#else
constexpr auto p = place<1, 0>(two);
#endif
