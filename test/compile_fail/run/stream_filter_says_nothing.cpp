// SPDX-License-Identifier: BSL-1.0
// A filter whose function returns no bool.
// expect: ipuflow: the filter of stage 1 says nothing of int; give a function that takes it as const and returns bool
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, run::filter(print), print); }
#else
void runs() { run::stream(numbers, run::filter([](int n) { return n > 1; }), print); }
#endif
