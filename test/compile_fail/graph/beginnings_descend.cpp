// SPDX-License-Identifier: BSL-1.0
// Stages whose beginnings are not in the pipeline's order.
// expect: ipuflow: stages are to begin at block \\'b\\' and then at block \\'a\\', which is not behind it; name each once, in the pipeline\\'s order
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one, add_one));

#ifdef EXPECT_FAILURE
constexpr auto q = regroup_at<"b", "a">(p);
#else
constexpr auto q = regroup_at<"a", "b">(p);
#endif
