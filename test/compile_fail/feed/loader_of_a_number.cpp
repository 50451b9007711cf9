// SPDX-License-Identifier: BSL-1.0
// A loader of something that is no dataset.
// expect: ipuflow: an adaptor or a loader is given something that is not a dataset; give that size\(\) and a const operator\[\], or begin\(\) and end\(\)
#include <ipuflow/feed.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void loads(std::vector<float>& v) { feed::load(v.size(), 8); }
#else
void loads(std::vector<float>& v) { (void)feed::load(v, 8); }
#endif
