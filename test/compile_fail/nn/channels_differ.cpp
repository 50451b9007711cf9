// SPDX-License-Identifier: BSL-1.0
// As many means as there are channels, but fewer deviations.
// expect: ipuflow: nn::normalise has 3 means and 2 deviations; give one of each for every channel, or one number for all
#include <ipuflow/nn.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto layer = nn::normalise<nn::channels{0.5, 0.5, 0.5}, nn::channels{0.25, 0.25}>;
#else
constexpr auto layer = nn::normalise<nn::channels{0.5, 0.5, 0.5}, nn::channels{0.25, 0.25, 0.25}>;
#endif
