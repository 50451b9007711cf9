// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a crop takes 29 rows or columns of an image that has 28; crop at most those, or resize before
#include <ipuflow/feed/images/crop.hpp>

#include <array>
#include <cstddef>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr std::size_t edge = 29;
#else
constexpr std::size_t edge = 24;
#endif

constexpr auto recipe = feed::images<1, 28, 28>() | feed::crop_at_random<24, edge>(7, 2);

auto cut(const std::vector<std::array<float, 784>>& digits) { return digits | recipe; }
