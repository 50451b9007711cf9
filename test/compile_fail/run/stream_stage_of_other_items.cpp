// SPDX-License-Identifier: BSL-1.0
// A stage that does not take what the one before it gives.
// expect: ipuflow: block .*'length.*', .*, cannot take int; change its parameter or the stage before it
#include <ipuflow/run/stream.hpp>

#include <array>
#include <optional>
#include <string>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
int twice(int n) { return 2 * n; }
void print(int) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, twice, block<"length">([](const std::string& s) { return static_cast<int>(s.size()); }), print); }
#else
void runs() { run::stream(numbers, twice, block<"length">([](int n) { return n; }), print); }
#endif
