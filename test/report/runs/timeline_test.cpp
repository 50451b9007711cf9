// SPDX-License-Identifier: BSL-1.0
// Whatever overlaps, the slices of a lane follow each other or lie within each other, and there is no lane too many.
#include <ipuflow/report/runs/timeline.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace timeline_test {

using namespace ipuflow::report;

namespace {

bool apart(const slice& a, const slice& b) { return a.finish <= b.start || b.finish <= a.start; }
bool within(const slice& a, const slice& b) { return b.start <= a.start && a.finish <= b.finish; }

}  // namespace

TEST_CASE("lanes hold what is apart or nested") {
  std::mt19937 random{7};
  for (int round = 0; round < 200; ++round) {
    timeline t;
    t.rows.resize(3);
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t start = random() % 100;
      t.slices.push_back({.row = random() % 3,
                          .micro_batch = static_cast<std::size_t>(i),
                          .start = start,
                          .finish = start + random() % 20});
    }
    arrange(t);
    CHECK(t.slices.size() == 40);
    for (std::size_t i = 0; i < t.slices.size(); ++i) {
      const slice& a = t.slices[i];
      if (i > 0) CHECK(t.slices[i - 1].start <= a.start);
      CHECK(a.lane < t.rows[a.row].lanes);
      bool pushed = a.lane == 0;
      for (std::size_t k = 0; k < i; ++k) {
        const slice& b = t.slices[k];
        if (b.row != a.row) continue;
        if (b.lane == a.lane) CHECK((apart(a, b) || within(a, b)));
        pushed = pushed || (b.lane + 1 == a.lane && !apart(a, b) && !within(a, b));
      }
      CHECK(pushed);  // the lane before had no room
    }
  }
}

TEST_CASE("the longer of two that begin together is around the other") {
  timeline t;
  t.rows.resize(1);
  t.slices = {
      {.start = 0, .finish = 3}, {.start = 0, .finish = 9}, {.start = 3, .finish = 9}, {.start = 9, .finish = 12}};
  arrange(t);
  CHECK(t.slices[0].finish == 9);
  CHECK(t.rows[0].lanes == 1);
}

TEST_CASE("times follow the clock") {
  const timeline t{.length = 0, .ticks = {2e9}};
  CHECK(t.seconds_of(4'000'000'000) == 2.0);
  CHECK(timeline{.ticks = {0}}.seconds_of(4'000'000'000) == 0.0);  // of chips whose clock is not known
}

}  // namespace timeline_test
