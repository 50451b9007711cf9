// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a range has no index to shuffle; shuffle it in a window, shuffle\(seed, window\)
#include <ipuflow/feed/adaptors/shuffle.hpp>

#include <list>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto how = feed::shuffle(7);
#else
constexpr auto how = feed::shuffle(7, 1000);
#endif

void shuffles(const std::list<int>& numbers) { (void)(numbers | how); }
