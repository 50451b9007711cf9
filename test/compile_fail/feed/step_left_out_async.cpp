// SPDX-License-Identifier: BSL-1.0
// An asynchronous loader that is not told how many samples are in a step.
// expect: ipuflow: a loader is not told the samples of a step; give load\(dataset, samples, options\)
#include <ipuflow/feed.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
auto loads(std::vector<float>& v) {
  auto steps = feed::async(v, {.workers = 3});
  return steps.size();
}
#else
void loads(std::vector<float>& v) { (void)feed::async(v, 8, {.workers = 3}); }
#endif
