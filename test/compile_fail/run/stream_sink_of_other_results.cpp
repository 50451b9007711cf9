// SPDX-License-Identifier: BSL-1.0
// A sink that does not take what leaves the last stage.
// expect: ipuflow: .* is no sink for .*string.*; give a function that takes it
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, [](int) { return std::string{}; }, print); }
#else
void runs() { run::stream(numbers, twice, print); }
#endif
