// SPDX-License-Identifier: BSL-1.0
// A value whose name is longer than what an error can show.
// expect: ipuflow: value \\'a_value_whose_name_tells_all_that_can_be_said_of_it_and_t\.\.\.\\' has a name of 71 characters; choose one of at most 60
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(keep<"a_value_whose_name_tells_all_that_can_be_said_of_it_and_then_a_bit_more">, add_one), block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">(keep<"x">, add_one), block<"b">(add_one));
#endif
