// SPDX-License-Identifier: BSL-1.0
// A value is kept under a name that is declared, though the one declared is not used any more.
// expect: ipuflow: two values are called \\'rate\\'; give every value a name of its own
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int sum(int x, int y) { return x + y; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, per_run<"rate", int>, block<"a">(use<"rate">(sum)), block<"b">(keep<"rate">, use<"rate">(sum)));
#else
constexpr auto p = pipeline(input<int>, per_run<"rate", int>, block<"a">(use<"rate">(sum)), block<"b">(keep<"x">, use<"x">(sum)));
#endif
