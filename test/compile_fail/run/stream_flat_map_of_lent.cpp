// SPDX-License-Identifier: BSL-1.0
// A flat_map whose function returns a reference to a container of what cannot be copied.
// expect: ipuflow: stage 1 only lends what it makes of int, which cannot be copied; return it as a value, to be moved
#include <ipuflow/run/stream.hpp>

#include <array>
#include <memory>
#include <vector>

using namespace ipuflow;

constexpr std::array numbers{1, 2, 3};
std::vector<std::unique_ptr<int>> kept;
void print(const std::unique_ptr<int>&) {}

#ifdef EXPECT_FAILURE
void runs() { run::stream(numbers, run::flat_map([](int) -> auto& { return kept; }), print); }
#else
void runs() { run::stream(numbers, run::flat_map([](int) { return std::move(kept); }), print); }
#endif
