// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: groups of 3 replicas share an input, which does not divide the 4 replicas; give an input_group that does
#include <ipuflow/feed/batching.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr std::size_t group = 3;
#else
constexpr std::size_t group = 2;
#endif

static_assert(accept<feed::verify(feed::batch_sizes{.replicas = 4, .input_group = group})>());
