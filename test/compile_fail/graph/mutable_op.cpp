// SPDX-License-Identifier: BSL-1.0
// An op with a state that changes.
// expect: ipuflow: stage 0 cannot take what it is given: in block \\'a\\' op 0, 
// expect: which is mutable though ops are constant, is given \(int\); change the op or what stands before it
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
auto p = pipeline(input<int>, block<"a">([n = 0](int x) mutable { return x + n++; }), block<"b">(add_one));
#else
auto p = pipeline(input<int>, block<"a">([n = 0](int x) { return x + n; }), block<"b">(add_one));
#endif
