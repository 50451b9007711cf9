// SPDX-License-Identifier: BSL-1.0
// A block that is repeated no times.
// expect: ipuflow: repeat<0>\(\.\.\.\) describes nothing; say how often, from 1 on, or leave it out
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(add_one), stage(repeat<0>(block<"b">(add_one))));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), stage(repeat<1>(block<"b">(add_one))));
#endif
