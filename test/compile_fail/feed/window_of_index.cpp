// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a window is for ranges, but this dataset has an index; shuffle all of it, shuffle\(seed\)
#include <ipuflow/feed/adaptors/shuffle.hpp>

#include <list>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using dataset = std::vector<int>;
#else
using dataset = std::list<int>;
#endif

void shuffles(const dataset& d) { (void)(d | feed::shuffle(7, 1000)); }
