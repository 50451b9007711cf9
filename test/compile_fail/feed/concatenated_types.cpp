// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: datasets with samples of different types are concatenated; map them to one type before
#include <ipuflow/feed/sources/concatenate.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using second = std::vector<double>;
#else
using second = std::vector<float>;
#endif

auto both(const std::vector<float>& a, const second& b) { return feed::concatenate(a, b); }
