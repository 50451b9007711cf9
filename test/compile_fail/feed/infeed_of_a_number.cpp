// SPDX-License-Identifier: BSL-1.0
// An infeed of something that is neither a range nor a dataset.
// expect: ipuflow: an infeed reads a range or a dataset; or give it nothing, and enqueue
#include <ipuflow/feed.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void feeds(std::vector<float>& v) { feed::infeed in{v.size()}; }
#else
void feeds(std::vector<float>& v) { feed::infeed in{v}; }
#endif
