// SPDX-License-Identifier: BSL-1.0
// A stream with a source and a sink only.
// expect: ipuflow: a stream has a source, at least one stage and a sink; give run::stream three or more of them
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, print); }
#else
void runs() { run::stream(numbers, twice, print); }
#endif
