// SPDX-License-Identifier: BSL-1.0
// A stage without blocks.
// expect: ipuflow: a pipeline or stage without blocks does nothing; give it block<\.\.\.>\(op\.\.\.\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto s = stage().ipu<0>();
#else
constexpr auto s = stage(block<"a">(add_one)).ipu<0>();
#endif
