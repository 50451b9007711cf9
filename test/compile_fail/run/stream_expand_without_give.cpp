// SPDX-License-Identifier: BSL-1.0
// An expand whose function does not take give.
// expect: ipuflow: expand in stage 1 cannot be given int; give what\(item, give\), and at_end\(give\) if there is an end
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, run::expand<int>(twice), print); }
#else
void runs() { run::stream(numbers, run::expand<int>([](int n, auto give) { give(n); }), print); }
#endif
