// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a sample has 784 elements but an image of these extents has 1024; give images\(\) the extents of the dataset
#include <ipuflow/feed/images/images.hpp>

#include <array>
#include <cstddef>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr std::size_t edge = 32;
#else
constexpr std::size_t edge = 28;
#endif

auto seen(const std::vector<std::array<float, 784>>& digits) { return digits | feed::images<1, edge, edge>(); }
