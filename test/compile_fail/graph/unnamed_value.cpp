// SPDX-License-Identifier: BSL-1.0
// A value whose name is empty, kept or declared.
// expect: ipuflow: a value has an empty name; give it one, as in keep<\\"skip\\"> or per_sample<\\"label\\", int>
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(keep<"">, add_one), block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">(keep<"x">, add_one), block<"b">(add_one));
#endif
