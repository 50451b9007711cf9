// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/frontier.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace frontier_test {

using namespace ipuflow::schedule;
using namespace ipuflow::test;

constexpr grid line{.ipus = 3, .stages = 3, .micro_batches = 6};
constexpr activation_bytes bytes{3, -2, -1};

TEST_CASE("with more memory nothing is slower, and no bound is higher; every point is what its search would have to keep") {
  for (const search_metric metric : {search_metric::span, search_metric::makespan}) {
    for (const bool vee : {false, true}) {
      const grid where{3, vee ? 6u : 3u, 6, vee ? layout::vee : layout::loop};
      const costs c{4, 5, 3, 1};
      const auto of = frontier(where, c, bytes, {.each = {.metric = metric, .iterations = 60}});
      REQUIRE_FALSE(of.refused);
      REQUIRE(of.points.size() >= 3);
      CHECK(of.points.size() <= 8);
      for (std::size_t i = 0; i < of.points.size(); ++i) {
        const frontier_point& here = of.points[i];
        check_searched(here.best, where, c, {bytes, here.limit});
        CHECK(here.best.metric == metric);
        if (i == 0) continue;
        CHECK(of.points[i - 1].limit < here.limit);
        CHECK(of.points[i - 1].best.found() > here.best.found());  // those that win nothing are left out
        CHECK(of.points[i - 1].best.lower_bound >= here.best.lower_bound);
      }
      CHECK(of.points[0].limit == (vee ? 6 : 3));  // the least that any schedule needs
    }
  }
}

TEST_CASE("limits that are asked for are kept as they are, in ascending order, and a smaller one serves a larger one") {
  frontier_options options{.each = {.iterations = 40}, .chosen = 0};
  for (const std::size_t limit : {9u, 60u, 3u, 5u, 12u}) options.limits.push_back(limit);
  const auto of = frontier(line, costs{4, 5, 3, 1}, bytes, options);
  REQUIRE(of.points.size() == 5);
  const std::size_t limits[] = {3, 5, 9, 12, 60};
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(of.points[i].limit == limits[i]);
    CHECK(of.points[i].best.peak_bytes <= limits[i]);
    if (i > 0) CHECK(of.points[i].best.found() <= of.points[i - 1].best.found());
    const auto alone = search(line, costs{4, 5, 3, 1}, {bytes, limits[i]}, options.each);
    CHECK(of.points[i].best.found() <= alone.found());
    CHECK(of.points[i].best.lower_bound >= alone.lower_bound);
  }
}

TEST_CASE("points are made monotone whatever their searches found") {
  ipuflow::dynamic_array<frontier_point> points(3);
  const auto set = [&](std::size_t i, std::size_t limit, std::size_t span, std::size_t bound, std::size_t peak) {
    points[i].limit = limit;
    points[i].best.span = span;
    points[i].best.lower_bound = bound;
    points[i].best.peak_bytes = peak;
  };
  set(0, 10, 100, 80, 9);
  set(1, 20, 110, 95, 20);  // worse than the first, with a better bound
  set(2, 30, 96, 90, 25);
  impl::make_monotone(points);
  CHECK(points[0].best.span == 100);
  CHECK(points[0].best.lower_bound == 95);
  CHECK(points[1].best.span == 100);
  CHECK(points[1].best.peak_bytes == 9);
  CHECK(points[1].best.lower_bound == 95);
  CHECK(points[1].limit == 20);
  CHECK(points[2].best.span == 96);
  CHECK(points[2].best.lower_bound == 90);
}

TEST_CASE("a limit without room for one micro-batch is refused, as a search is") {
  frontier_options options{.each = {.iterations = 4}, .chosen = 0};
  options.limits.push_back(2);
  CHECK(frontier(line, costs{}, bytes, options).refused.kind == search_wrong::no_room);
  CHECK(frontier(grid{.ipus = 0}, costs{}, bytes, options).refused.kind == search_wrong::empty);
}

static_assert(frontier(grid{.ipus = 2, .stages = 2, .micro_batches = 2}, costs{}, activation_bytes{}, {.each = {.iterations = 1}, .chosen = 3})
                  .points[0]
                  .limit == 1);

}  // namespace frontier_test
