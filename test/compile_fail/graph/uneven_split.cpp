// SPDX-License-Identifier: BSL-1.0
// Fewer blocks than stages.
// expect: ipuflow: 4 blocks are split into 5 stages; ask for 1 to 4, so that each has a block
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, split<5>(repeat<4>(block<"b">(add_one))));
#else
constexpr auto p = pipeline(input<int>, split<3>(repeat<4>(block<"b">(add_one))));
#endif
