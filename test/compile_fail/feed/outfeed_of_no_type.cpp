// SPDX-License-Identifier: BSL-1.0
// An outfeed that does not say what comes back.
// expect: ipuflow: an outfeed does not know the type of its results; say it, outfeed<T>
#include <ipuflow/feed.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void reads() { feed::outfeed out{feed::outfeed_options{.buffer_depth = 2}}; }
#else
void reads() { feed::outfeed<int> out{feed::outfeed_options{.buffer_depth = 2}}; }
#endif
