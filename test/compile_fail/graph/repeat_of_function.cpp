// SPDX-License-Identifier: BSL-1.0
// An op is repeated without a block.
// expect: ipuflow: argument 0 of repeat\(\.\.\.\) does not belong there, it is int \(\*\)\(int\); give it block<
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, repeat<4>(add_one));
#else
constexpr auto p = pipeline(input<int>, repeat<4>(block<"b">(add_one)));
#endif
