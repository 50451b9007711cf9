// SPDX-License-Identifier: BSL-1.0
// Two branches keep under one name.
// expect: ipuflow: two values are called \\'x\\'; give every value a name of its own
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr int sum(int x, int y) { return x + y; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, concurrent(block<"a">(keep<"x">, add_one), block<"b">(keep<"x">, add_one)),
                            block<"c">(sum), block<"d">(use<"x">(sum)));
#else
constexpr auto p = pipeline(input<int>, concurrent(block<"a">(keep<"x">, add_one), block<"b">(keep<"y">, add_one)),
                            block<"c">(sum), block<"d">(use<"x">(sum)));
#endif
