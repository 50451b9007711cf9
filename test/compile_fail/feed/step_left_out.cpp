// SPDX-License-Identifier: BSL-1.0
// A loader that is not told how many samples are in a step.
// expect: ipuflow: a loader is not told the samples of a step; give load\(dataset, samples, options\)
#include <ipuflow/feed.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void loads(std::vector<float>& v) { feed::load(v, {.shuffle = 3}); }
#else
void loads(std::vector<float>& v) { (void)feed::load(v, 8, {.shuffle = 3}); }
#endif
