// SPDX-License-Identifier: BSL-1.0
// A skip inside another one has its name: the outer value, which is used further on, would be lost.
// expect: ipuflow: two values are called \\'skip\\'; give every value a name of its own
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int plus_one(int x) { return x + 1; }
constexpr int sum(int x, int y) { return x + y; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(keep<"skip">, plus_one), block<"b">(keep<"skip">, plus_one, use<"skip">(sum)),
                            block<"c">(use<"skip">(sum)));
#else
constexpr auto p = pipeline(input<int>, block<"a">(keep<"skip">, plus_one), block<"b">(keep<"inner">, plus_one, use<"inner">(sum)),
                            block<"c">(use<"skip">(sum)));
#endif
