// SPDX-License-Identifier: BSL-1.0
// Nobody can tell what a generic lambda is given.
// expect: ipuflow: the type of the pipeline\\'s input cannot be read off its first op, 
// expect: ; say it first: pipeline\(input<T>, \.\.\.\)
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(block<"a">([](auto x) { return x; }), block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">([](auto x) { return x; }), block<"b">(add_one));
#endif
