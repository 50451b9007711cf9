// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/infeed_options.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace infeed_options_test {

using namespace ipuflow;
using namespace ipuflow::feed;

constexpr infeed_fault nothing{};

static_assert(verify(infeed_options{}) == nothing);
static_assert(infeed_options{}.prefetch_depth == 3 && infeed_options{}.replicas == 1);
static_assert(verify({.prefetch_depth = 1}) == nothing && verify({.prefetch_depth = 255}) == nothing);

TEST_CASE("the depth is from 1 to 255 and there is a replica") {
  for (std::size_t depth = 0; depth < 300; ++depth) {
    CHECK(static_cast<bool>(verify({.prefetch_depth = depth})) == (depth < 1 || depth > 255));
  }
  CHECK(message(verify({.prefetch_depth = 0})).view() ==
        "ipuflow: an infeed is to prefetch 0 iterations; choose a depth from 1 to 255");
  CHECK(message(verify({.prefetch_depth = 256})).view() ==
        "ipuflow: an infeed is to prefetch 256 iterations; choose a depth from 1 to 255");
  CHECK(message(verify(infeed_options{.replicas = 0})).view() == "ipuflow: an infeed is to feed 0 replicas; give at least 1");
}

}  // namespace infeed_options_test
