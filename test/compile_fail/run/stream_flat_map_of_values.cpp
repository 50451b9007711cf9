// SPDX-License-Identifier: BSL-1.0
// A flat_map whose function gives no range.
// expect: ipuflow: flat_map in stage 1 makes no range of int; give a function that takes it and returns one
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, run::flat_map(twice), print); }
#else
void runs() { run::stream(numbers, run::flat_map([](int n) { return std::array{n, n}; }), print); }
#endif
