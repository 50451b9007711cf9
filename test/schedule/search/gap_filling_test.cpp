// SPDX-License-Identifier: BSL-1.0
// Orders that fill the gaps of a line: within any memory, and a search is never worse than any of the eight.
#include "../random_costs.hpp"

#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/search/gap_filling.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace gap_filling_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("each of the eight ways fits the memory at every instant, and a search of as many iterations as its first start is no worse") {
  reference::random_costs draw{7};
  std::size_t made = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const grid where{2 + draw.below(6), 0, 2 + draw.below(20)};
    const grid line_of{where.ipus, where.ipus, where.micro_batches};
    const auto c = draw.of_stages<8>(where.ipus);
    const std::ptrdiff_t weights = -static_cast<std::ptrdiff_t>(1 + draw.below(3));
    const std::ptrdiff_t inputs = -static_cast<std::ptrdiff_t>(1 + draw.below(3));
    const search_memory memory{{-weights - inputs, inputs, weights}, static_cast<std::size_t>(-weights - inputs) * (where.ipus + draw.below(where.ipus))};
    const search_instance of = instance_of(line_of, c, memory, true, {.decided = 0});
    REQUIRE(line_of_instance::fits(of));
    const line_of_instance line{of};
    const auto found = search(line_of, c, memory, {.metric = search_metric::makespan, .iterations = 120});
    REQUIRE_FALSE(found.refused);
    for (unsigned way = 0; way < 8; ++way) {
      const search_orders orders = gaps_filled(of, line, way);
      if (orders.lanes.empty()) continue;
      ++made;
      test::check_start(line_of, of, orders, found);
    }
  }
  CHECK(made > 200);
}

TEST_CASE("a V, whole backwards and channels with little room are no line of this kind") {
  const search_memory memory{{2, -1, -1}, 40};
  CHECK_FALSE(line_of_instance::fits(instance_of(grid{4, 8, 8, layout::vee}, costs{}, memory, true, {.decided = 0})));
  CHECK_FALSE(line_of_instance::fits(instance_of(grid{4, 4, 8}, costs{}, memory, false, {.decided = 0})));
  search_instance of = instance_of(grid{4, 4, 8}, costs{}, memory, true, {.decided = 0});
  CHECK(line_of_instance::fits(of));
  of.capacity = 1;
  CHECK_FALSE(line_of_instance::fits(of));
}

}  // namespace gap_filling_test
