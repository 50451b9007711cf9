// SPDX-License-Identifier: BSL-1.0
// The number of an IPU in front of the blocks of a stage.
// expect: ipuflow: stage is given a number in parentheses, which is a part of its type; write stage\(block...\).ipu<0>\(\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, stage<0>(block<"a">(add_one)), stage<1>(block<"b">(add_one)));
#else
constexpr auto p = pipeline(input<int>, stage(block<"a">(add_one)).ipu<0>(), stage(block<"b">(add_one)).ipu<1>());
#endif
