// SPDX-License-Identifier: BSL-1.0
// Stages that are to begin at blocks, of a pipeline with branches.
// expect: ipuflow: stage 1 has 2 concurrent branches, which would be one behind the other in stages that begin at blocks; regroup\(...\) names the stages with their branches
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr int sum(int x, int y) { return x + y; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, stage(block<"a">(add_one)), concurrent(stage(block<"b">(add_one)), stage(block<"c">(add_one))),
                            stage(block<"d">(sum)));
#else
constexpr auto p = pipeline(input<int>, stage(block<"a">(add_one)), stage(block<"d">(add_one)));
#endif
constexpr auto q = regroup_at<"d">(p);
