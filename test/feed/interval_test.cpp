// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/interval.hpp>

namespace interval_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

static_assert(share_of(100, 0, 3) == interval{0, 34} && share_of(100, 1, 3) == interval{34, 33});
static_assert(share_of(100, 2, 3) == interval{67, 33} && share_of(2, 2, 3) == interval{2, 0});

}  // namespace interval_test
