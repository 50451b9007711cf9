// SPDX-License-Identifier: BSL-1.0
// A loader that is given the samples of a step first; the same is said where a sampler has no number of batches behind it.
// expect: ipuflow: what a loader is told behind its dataset is no number of samples; give load\(dataset, samples, options\), or load\(dataset, sampler, batches, options\)
#include <ipuflow/feed.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void loads(std::vector<float>& v) { feed::load(8, v, {.shuffle = 3}); }
#else
void loads(std::vector<float>& v, std::vector<std::vector<int>>& sampler) {
  (void)feed::load(v, 8, {.shuffle = 3});
  (void)feed::load(v, sampler, 1, {.last = feed::tail::kept});
}
#endif
