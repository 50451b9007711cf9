// SPDX-License-Identifier: BSL-1.0
// Two blocks of one name.
// expect: ipuflow: two blocks are called \\'a\\', number 0 and number 2; give every block a name of its own
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"a">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one), block<"c">(add_one));
#endif
