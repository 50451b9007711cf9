// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/series.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include <doctest/doctest.h>

#include "report/hand_made.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace series_test {

using namespace ipuflow;

const report::time_series* named(const ipuflow::light_vector<report::time_series>& all, const std::string& name) {
  for (const report::time_series& s : all) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

void check_schedule(const schedule::table& t) {
  const auto all = report::series_of(report::timeline_of(hand_made::on_host(t, 2)));
  const auto most = schedule::in_flight(t);
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    if (t.where.crossed) continue;  // a stage on several IPUs has several stashes
    const report::time_series* stash = named(all, "stash of stage " + std::to_string(stage));
    REQUIRE(stash != nullptr);
    CHECK(stash->most() == most[stage]);
  }
  for (const report::time_series& s : all) {
    CAPTURE(s.name);
    REQUIRE(!s.points.empty());
    CHECK(s.points.back().second == 0);
    for (std::size_t i = 1; i < s.points.size(); ++i) CHECK(s.points[i - 1].first < s.points[i].first);
  }
  CHECK(named(all, "micro-batches in the pipeline")->most() <= t.where.micro_batches);
}

TEST_CASE("a stash holds at most what the schedule says, all are empty at the end, and times rise") {
  for (const std::string_view name : schedule::schedule_names) {
    CAPTURE(name);
    schedule::with_schedule(std::string(name), {.ipus = 4, .micro_batches = 8}, [&](const auto& t) {
      if (!t.refused && t.run_for == mode::training) check_schedule(schedule::tabulate(t));
    });
  }
}

TEST_CASE("a queue holds what was handed on until the next stage begins") {
  report::timeline t{.rows = {{.name = "a"}, {.name = "b"}}, .length = 40};
  const auto add = [&](std::size_t stage, std::size_t m, std::uint64_t start, std::uint64_t finish) {
    t.slices.push_back({.row = stage, .stage = stage, .micro_batch = m, .run = 0, .start = start, .finish = finish});
  };
  add(0, 0, 0, 5);
  add(0, 1, 5, 10);
  add(1, 0, 12, 20);
  add(1, 1, 20, 30);
  const auto all = report::series_of(t);
  const report::time_series* queue = named(all, "activations from stage 0 to 1");
  REQUIRE(queue != nullptr);
  CHECK(queue->points == ipuflow::light_vector<std::pair<std::uint64_t, std::uint32_t>>{{5, 1}, {10, 2}, {12, 1}, {20, 0}});
  CHECK(named(all, "stash of stage 0") == nullptr);  // nothing is trained
  CHECK(named(all, "micro-batches in the pipeline")->points.back() == std::pair<std::uint64_t, std::uint32_t>{30, 0});
}

TEST_CASE("a long series keeps its largest numbers and its end, in few points") {
  report::impl::running_sum sum;
  constexpr std::uint64_t times = 100'000;
  for (std::uint64_t i = 0; i < times; ++i) sum.up(10 * i), sum.down(10 * i + 5);
  sum.up(500'001), sum.down(500'003);  // two at once, for a moment
  const auto points = sum.points(10 * times);
  CHECK(points.size() <= report::impl::most_points + 2);
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) CHECK(points[i - 1].first < points[i].first);
    most = std::max(most, points[i].second);
    if (points[i].second == 2) CHECK(points[i].first / 62 == 500'001 / 62);
  }
  CHECK(most == 2);
  CHECK(points.back().second == 0);
}

}  // namespace series_test
