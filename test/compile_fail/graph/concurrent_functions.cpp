// SPDX-License-Identifier: BSL-1.0
// Branches that are no stages.
// expect: ipuflow: argument 0 of concurrent\(\.\.\.\) does not belong there, it is int \(\*\)\(int\); give it stage\(\.\.\.\) or block<
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto s = concurrent(add_one, block<"b">(add_one));
#else
constexpr auto s = concurrent(block<"a">(add_one), block<"b">(add_one));
#endif
