// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a range has no index and no epoch to draw by; transform at random what has an index, or draw in a map
#include <ipuflow/feed/images/flip.hpp>

#include <array>
#include <list>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using dataset = std::list<std::array<float, 784>>;
#else
using dataset = std::vector<std::array<float, 784>>;
#endif

auto mirrored(const dataset& digits) { return digits | feed::images<1, 28, 28>() | feed::flip_at_random(7); }
