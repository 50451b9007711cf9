// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: an adaptor or a loader is given something that is not a dataset; give that size\(\) and a const operator\[\], or begin\(\) and end\(\)
#include <ipuflow/feed/adaptors/slice.hpp>

#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using dataset = int;
#else
using dataset = std::vector<int>;
#endif

auto takes(const dataset& d) { return d | feed::take(3); }
