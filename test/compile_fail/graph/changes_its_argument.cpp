// SPDX-License-Identifier: BSL-1.0
// An op that wants to change what it is given in place.
// expect: ipuflow: stage 1 cannot take what it is given: in block \\'b\\' op 0, 
// expect: which takes \(int ?&\), is given \(int\); change the op or what stands before it
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr void increase(int& x) { ++x; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(increase));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one));
#endif
