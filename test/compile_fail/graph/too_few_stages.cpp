// SPDX-License-Identifier: BSL-1.0
// One stage is no pipeline.
// expect: ipuflow: a pipeline needs at least 2 stages but has 1; add a stage, or say single_stage\(\.\.\.\) if one is meant
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, stage(block<"a">(add_one), block<"b">(add_one)));
#else
constexpr auto p = single_stage(input<int>, stage(block<"a">(add_one), block<"b">(add_one)));
#endif
