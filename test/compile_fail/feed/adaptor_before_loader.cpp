// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a range has no index to shuffle; shuffle it in a window, shuffle\(seed, window\)
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/load.hpp>

#include <vector>

using namespace ipuflow;

void loads(const std::vector<int>& numbers) {
#ifdef EXPECT_FAILURE
  auto steps = feed::sync(numbers, 4) | feed::shuffle(7);  // the steps, of which a loader is a range
#else
  auto steps = feed::sync(numbers | feed::shuffle(7), 4);
#endif
}
