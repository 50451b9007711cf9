// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a transform of images is given samples that are none; say what they are, images\(channels, height, width\), as their first field
#include <ipuflow/feed/images/flip.hpp>

#include <array>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto recipe = feed::flip();
#else
constexpr auto recipe = feed::images<1, 28, 28>() | feed::flip();
#endif

auto mirrored(const std::vector<std::array<float, 784>>& digits) { return digits | recipe; }
