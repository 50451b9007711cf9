// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a range has no index to keep samples by; cache a dataset that has one
#include <ipuflow/feed/adaptors/cache.hpp>

#include <list>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using dataset = std::list<int>;
#else
using dataset = std::vector<int>;
#endif

auto keeps(const dataset& numbers) { return numbers | feed::cache(1_MiB); }
