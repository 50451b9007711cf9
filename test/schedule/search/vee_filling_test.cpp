// SPDX-License-Identifier: BSL-1.0
// Orders there and back that fill gaps: the figures that were published for them, within any memory, and a search is no worse.
#include "../random_costs.hpp"

#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <ipuflow/schedule/search/vee_filling.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

namespace vee_filling_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

/// Calls `visit(orders)` for all eight that are made.
template <class Visit>
void each_filling(const search_instance& of, Visit visit) {
  bool never = false;
  const auto over = [&] { return never; };
  for_each_filling(of, over, visit);
}

std::size_t span_of(const times& t) {
  std::size_t longest = 0;
  for (const auto& ipu : t.ipu) longest = std::max(longest, ipu.last - ipu.first);
  return longest;
}

}  // namespace

TEST_CASE("the best of the ways is what was published for this greedy, row by row") {
  std::size_t rows = 0;
  for (const test::published_search& row : test::published_searches) {
    if (std::string_view{row.method} != "zbv") continue;
    const grid where = test::where_of(row);
    const costs c = test::costs_of(row);
    const search_instance of = instance_of(where, c, test::memory_of(row), true, {.decided = 0});
    std::size_t best = nowhere;
    each_filling(of, [&](const search_orders& orders) {
      searched to;
      best = std::min(best, span_of(times_of(tabulate<table>(written(where, of, orders, to)), c)));
    });
    INFO(row.ipus, " IPUs, limit ", row.limit);
    CHECK(best == row.span);
    ++rows;
  }
  CHECK(rows >= 15);
}

TEST_CASE("each of them fits the memory at every instant, and a search of as many iterations as its first start is no worse") {
  reference::random_costs draw{8};
  std::size_t made = 0;
  for (std::size_t i = 0; i < 80; ++i) {
    const std::size_t ipus = 1 + draw.below(6);
    const grid where{ipus, 2 * ipus, 1 + draw.below(20), layout::vee};
    const auto c = draw.of_stages<16>(where.stages);
    const std::ptrdiff_t weights = -static_cast<std::ptrdiff_t>(1 + draw.below(3));
    const std::ptrdiff_t inputs = -static_cast<std::ptrdiff_t>(1 + draw.below(3));
    const search_memory memory{{-weights - inputs, inputs, weights}, static_cast<std::size_t>(-weights - inputs) * (2 + draw.below(2 * ipus))};
    const search_instance of = instance_of(where, c, memory, true, {.decided = 0});
    REQUIRE(line_of_instance::fits_vee(of));
    const auto found = search(where, c, memory, {.metric = search_metric::makespan, .iterations = 120});
    REQUIRE_FALSE(found.refused);
    each_filling(of, [&](const search_orders& orders) {
      ++made;
      test::check_start(where, of, orders, found);
    });
  }
  CHECK(made > 200);
}

TEST_CASE("a line, another list of IPUs, whole backwards and channels with little room are no V of this kind") {
  const search_memory memory{{2, -1, -1}, 40};
  CHECK_FALSE(line_of_instance::fits_vee(instance_of(grid{4, 4, 8}, costs{}, memory, true, {.decided = 0})));
  CHECK_FALSE(line_of_instance::fits_vee(instance_of(grid{4, 8, 8}, costs{}, memory, true, {.decided = 0})));
  CHECK_FALSE(line_of_instance::fits_vee(instance_of(grid{4, 8, 8, layout::vee}, costs{}, memory, false, {.decided = 0})));
  search_instance of = instance_of(grid{4, 8, 8, layout::vee}, costs{}, memory, true, {.decided = 0});
  CHECK(line_of_instance::fits_vee(of));
  of.capacity = 1;
  CHECK_FALSE(line_of_instance::fits_vee(of));
}

}  // namespace vee_filling_test
