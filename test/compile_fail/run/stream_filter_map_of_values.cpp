// SPDX-License-Identifier: BSL-1.0
// A filter_map whose function always gives a value.
// expect: ipuflow: filter_map in stage 1 makes no std::optional of int; give a function that takes it and returns one
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, run::filter_map([](int) { return std::string{}; }), [](const std::string&) {}); }
#else
void runs() { run::stream(numbers, run::filter_map([](int n) { return std::optional{n}; }), print); }
#endif
