// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a loader cannot load a loader; give it the dataset
#include <ipuflow/feed/load.hpp>

#include <vector>

using namespace ipuflow;

void loads(const std::vector<int>& numbers) {
  auto steps = feed::async(numbers, 4);
#ifdef EXPECT_FAILURE
  auto twice = feed::async(steps, 4);
#else
  auto twice = feed::async(numbers, 4);
#endif
}
