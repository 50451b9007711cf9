// SPDX-License-Identifier: BSL-1.0
// A number where the options of an infeed belong.
// expect: ipuflow: behind the source of an infeed are its options; give \{.prefetch_depth = 3\}
#include <ipuflow/feed.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void feeds(std::vector<float>& v) { feed::infeed in{v, 3}; }
#else
void feeds(std::vector<float>& v) { feed::infeed in{v, {.prefetch_depth = 3}}; }
#endif
