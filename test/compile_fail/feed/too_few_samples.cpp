// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: the dataset has 500 samples, too few for one step of 800, and tail::dropped drops them all
#include <ipuflow/feed/batching.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr std::size_t samples_there = 500;
#else
constexpr std::size_t samples_there = 10'000;
#endif

static_assert(accept<feed::verify_steps(samples_there, {.micro_batch = 16, .device_iterations = 50})>());
