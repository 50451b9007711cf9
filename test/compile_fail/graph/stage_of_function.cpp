// SPDX-License-Identifier: BSL-1.0
// A stage of a function that is no block.
// expect: ipuflow: argument 1 of stage\(\.\.\.\) does not belong there, it is int \(\*\)\(int\); give it block<
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto s = stage(block<"a">(add_one), add_one);
#else
constexpr auto s = stage(block<"a">(add_one), block<"b">(add_one));
#endif
