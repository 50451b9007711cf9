// SPDX-License-Identifier: BSL-1.0
// An input is declared behind a stage.
// expect: ipuflow: argument 2 of pipeline\(\.\.\.\) does not belong there, it is input_t<float>; give it inputs and named values, then stages
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<int>, block<"a">(add_one), input<float>, block<"b">(add_one));
#else
constexpr auto p = pipeline(input<int>, block<"a">(add_one), block<"b">(add_one));
#endif
