// SPDX-License-Identifier: BSL-1.0
// A stage gives what the next cannot take.
// expect: ipuflow: stage 1 cannot take what it is given: in block \\'b\\' op 1, 
// expect: which takes \(const char ?\*\), is given \(int\); change the op or what stands before it
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }
constexpr int length(const char*) { return 0; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one, length));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one, add_one));
#endif
