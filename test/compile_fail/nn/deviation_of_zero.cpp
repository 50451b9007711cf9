// SPDX-License-Identifier: BSL-1.0
// A deviation that nothing can be divided by.
// expect: ipuflow: nn::normalise divides by the deviation of channel 0, which is no number from 1.2e-38 to 1.3e36; give it the deviation of the data
#include <ipuflow/nn.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto layer = nn::normalise<0.5, 0.0>;
#else
constexpr auto layer = nn::normalise<nn::channels{0.5, 0.5, 0.5}, nn::channels{0.25, 0.25, 0.25}>;
#endif
