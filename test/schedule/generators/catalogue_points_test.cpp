// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace catalogue_points_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::test;

TEST_CASE("each point has the time and the bytes that a walk of its own finds") {
  for (const std::size_t chunks : {1u, 2u}) {
    const grid where{4, 4 * chunks, 8, chunks == 1 ? layout::loop : layout::vee};
    const costs c{4, 5, 3, 1};
    const dynamic_array<activation_bytes> bytes(1, {3, -2, -1});
    const auto points = catalogue_points(where, c, bytes, search_metric::makespan);
    REQUIRE(points.size() >= 6);
    std::set<std::string> names;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const catalogue_point& point = points[i];
      CAPTURE(point.name);
      names.insert(std::string{point.name});
      if (i > 0) CHECK(points[i - 1].time <= point.time);
      with_schedule(point.name, {.ipus = 4, .stages_per_ipu = chunks, .micro_batches = 8}, c, [&](const auto& t) {
        CHECK(point.time >= makespan(t, c));
        const table written = tabulate(t);
        bool plain = t.goes != pace::in_turn;  // IPUs that take turns and pairs that run together are more than a walk of orders knows
        for (const auto& row : written.rows) {
          for (const placed& o : row) plain = plain && !o.with_next;
        }
        if (!plain) return;
        const walked again = walk(written, t.where, c, {{3, -2, -1}, 1000});
        CHECK(point.time == again.makespan);
        CHECK(point.peak_bytes == again.peak);
        CHECK(point.placed_alike == (t.where.ipu_of(4 * chunks - 1, 0) == where.ipu_of(4 * chunks - 1, 0)));
      });
    }
    CHECK(names.contains(chunks == 1 ? "zb1p" : "zbv"));
    CHECK_FALSE(names.contains("chimera"));  // it has each stage twice
  }
}

TEST_CASE("zero bubbles have their published span, not their makespan") {
  const grid where{4, 8, 16, layout::vee};
  const auto points = catalogue_points(where, costs{}, dynamic_array<activation_bytes>(1, {}), search_metric::span);
  for (const catalogue_point& point : points) {
    if (point.name == "zbv") CHECK(point.time == 16 * 2 * 3);
  }
  CHECK(catalogue_points(grid{3, 4, 8}, costs{}, dynamic_array<activation_bytes>(1, {}), search_metric::span).empty());
}

TEST_CASE("an order that depends on costs is the one for these") {
  const grid where{4, 4, 24};
  const costs c{2, 6, 1, 0};
  bool seen = false;
  for (const catalogue_point& point : catalogue_points(where, c, dynamic_array<activation_bytes>(1, {}), search_metric::makespan)) {
    if (point.name != "zb2p") continue;
    seen = true;
    with_schedule("zb2p", {.ipus = 4, .micro_batches = 24}, c, [&](const auto& t) { CHECK(point.time == makespan(t, c)); });
    CHECK(point.time < makespan(zb2p({.ipus = 4, .micro_batches = 24}), c));
  }
  CHECK(seen);
}

TEST_CASE("records of bytes are one for all stages, or one each") {
  CHECK_THROWS_AS((void)catalogue_points(grid{4, 4, 8}, costs{}, dynamic_array<activation_bytes>(3, {}), search_metric::span), rejected<search_fault>);
}

}  // namespace catalogue_points_test
