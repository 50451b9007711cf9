// SPDX-License-Identifier: BSL-1.0
// A block that has a number in place of a name.
// expect: ipuflow: a block has an empty name; give it one, as in block<
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr auto twice = [](int x) { return 2 * x; };

#ifdef EXPECT_FAILURE
constexpr auto made = block<1>(twice);
#else
constexpr auto made = block<"1">(twice);
#endif
