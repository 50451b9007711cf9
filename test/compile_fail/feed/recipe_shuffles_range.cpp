// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a range has no index to shuffle; shuffle it in a window, shuffle\(seed, window\)
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>

#include <list>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using dataset = std::list<int>;
#else
using dataset = std::vector<int>;
#endif

constexpr auto recipe = feed::take(900) | feed::shuffle(7);

void shuffles(const dataset& d) { (void)(d | recipe); }
