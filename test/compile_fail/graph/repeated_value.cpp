// SPDX-License-Identifier: BSL-1.0
// Two values of one name.
// expect: ipuflow: two values are called \\'rate\\'; give every value a name of its own
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, per_sample<"rate", int>, per_run<"rate", int>, block<"a">(add_one), block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, per_sample<"label", int>, per_run<"rate", int>, block<"a">(add_one), block<"b">(add_one));
#endif
