// SPDX-License-Identifier: BSL-1.0
// An infeed without a source, which does not say what is enqueued.
// expect: ipuflow: an infeed that elements are enqueued to does not know their type; say it, infeed<T>
#include <ipuflow/feed.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void feeds() { feed::infeed in{feed::infeed_options{.prefetch_depth = 2}}; }
#else
void feeds() { feed::infeed<int> in{feed::infeed_options{.prefetch_depth = 2}}; }
#endif
