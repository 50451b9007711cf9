// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/reduction.hpp>

#include <doctest/doctest.h>

namespace reduction_test {

using namespace ipuflow;
using train::reduction;

static_assert(train::reduction_named("SUM") == reduction::sum);
static_assert(train::reduction_named("Mean") == reduction::mean);
static_assert(train::reduction_named("running_mean") == reduction::running_mean);
static_assert(train::impl::scales_of(reduction::sum, 3, 8) == train::impl::reduction_scales{1, 1});
static_assert(train::impl::scales_of(reduction::mean, 3, 8) == train::impl::reduction_scales{1, 0.125f});
static_assert(train::impl::scales_of(reduction::running_mean, 3, 8) == train::impl::reduction_scales{0.75f, 0.25f});
static_assert(train::impl::scales_of(reduction::running_mean, 0, 8) == train::impl::reduction_scales{0, 1});

TEST_CASE("a name that is none") {
  CHECK_THROWS_WITH((void)train::reduction_named("average"),
                    "ipuflow: 'average' is no way to reduce gradients; say sum, mean or running_mean");
}

}  // namespace reduction_test
