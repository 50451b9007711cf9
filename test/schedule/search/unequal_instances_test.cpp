// SPDX-License-Identifier: BSL-1.0
#include <schedule/search/unequal_instances.hpp>

#include <doctest/doctest.h>

#include <iterator>

namespace unequal_instances_test {

using namespace ipuflow;

TEST_CASE("with unequal stages an IPU idles at most half as long as in the best of the catalogue, on 15 of 20 instances") {
  std::size_t halved = 0;
  for (const auto& one : test::unequal_instances) {
    const test::idle_times found = test::idle_of(one, {.iterations = 1500}, schedule::impl::never_stops{});
    CAPTURE(one.name);
    CHECK(found.searched <= found.catalogue);
    CHECK(found.searched >= found.least);
    CHECK(found.catalogue > 0);
    halved += 2 * found.searched <= found.catalogue ? 1u : 0u;
  }
  CHECK(std::size(test::unequal_instances) == 20);
  CHECK(halved >= 15);
}

}  // namespace unequal_instances_test
