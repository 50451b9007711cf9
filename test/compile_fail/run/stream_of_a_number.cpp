// SPDX-License-Identifier: BSL-1.0
// A stream that is read from a number.
// expect: ipuflow: a stream cannot be read from int; give a range of what can be copied, or a function without arguments that returns a std::optional
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(3, twice, print); }
#else
void runs() { run::stream(numbers, twice, print); }
#endif
