// SPDX-License-Identifier: BSL-1.0
// Plans as a whole are tested in stream_plan_test.cpp.
#include <ipuflow/run/threads/stream_planning.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace stream_planning_test {

using namespace ipuflow;

TEST_CASE("depths within a chain move behind it") {
  run::impl::stream_plan plan{{1, 2, 4, 8, 16}, {{}, {{0, 1}, {2, 3}, {4}}}};
  const std::vector<std::size_t> one_each{0, 1, 2, 3, 4};
  const std::vector<std::size_t> branch(5);
  run::impl::join_chains(plan, {{one_each, branch, one_each}, 5, false, false});
  CHECK(plan.joined.last == std::vector<std::size_t>{1, schedule::nowhere, 3, schedule::nowhere, 4});
  CHECK(plan.needed == run::depths{1, 2, 4 + 2, 8, 16 + 8});
}

}  // namespace stream_planning_test
