// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace per_stage_test {

using namespace ipuflow;

static_assert(per_stage(6, 4, 2, 0) == bounded_vector<std::size_t, 9>{{6, 4, 2, 0}, 4});
static_assert(per_stage(6, 4) != per_stage(6, 4, 2) && per_stage(6, 4) != per_stage(6, 5));
static_assert(per_stage().empty());

TEST_CASE("A list is the counts in their order, whatever type they are given in") {
  const auto counts = per_stage(6, std::size_t{4}, 2u, 0);
  CHECK(counts.size() == 4);
  CHECK(counts.at(0) == 6);
  CHECK(counts.at(3) == 0);
}

}  // namespace per_stage_test
