// SPDX-License-Identifier: BSL-1.0
// A stage in the middle that returns void.
// expect: ipuflow: stage 2 returns nothing for int; return what the next stage takes, or make it the sink
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, twice, print, print); }
#else
void runs() { run::stream(numbers, twice, print); }
#endif
