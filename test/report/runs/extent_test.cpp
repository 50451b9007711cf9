// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/runs/extent.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>

namespace extent_test {

using namespace ipuflow::report;
using namespace ipuflow::report::impl;

TEST_CASE("a micro-batch on the busiest stage takes the same room until the picture is too wide") {
  for (const std::uint64_t interval : {3u, 1000u, 77'777u, 1'000'000'000u}) {
    for (const std::uint64_t count : {1u, 16u, 30u, 100u, 120u, 121u, 2048u, 1'000'000u}) {
      const extent e = extent_of(interval * count, interval);
      const std::size_t wide = std::accumulate(e.widths.begin(), e.widths.end(), std::size_t{0});
      CHECK(wide == std::min<std::size_t>(std::max<std::size_t>(40 * count, 920), 4800));
      REQUIRE(e.windows.size() == (count <= 120 ? 1 : 3));
      CHECK(e.windows.front().begin == 0);
      CHECK(e.windows.back().end == interval * count);
      for (std::size_t w = 0; w < e.windows.size(); ++w) {
        CHECK(e.windows[w].begin < e.windows[w].end);
        if (w > 0) CHECK(e.windows[w - 1].end <= e.windows[w].begin);
        if (e.windows.size() == 3 && interval >= 1000) {
          const double scale =
              static_cast<double>(e.windows[w].end - e.windows[w].begin) / static_cast<double>(e.widths[w]);
          CHECK(scale == doctest::Approx(static_cast<double>(interval) / 40).epsilon(0.001));
        }
      }
    }
  }
}

TEST_CASE("nothing to measure by") {
  CHECK(extent_of(0, 0).windows.size() == 1);
  CHECK(extent_of(500, 0).widths.front() == 920);
  CHECK(busiest_stage{}.interval(0, 0) == 0);
}

TEST_CASE("widths of nothing, or of which the least is more than the most, are drawn all the same") {
  const auto wide = [](std::uint64_t count, const timeline_style& style) {
    const extent e = extent_of(1000 * count, 1000, style);
    for (const std::size_t w : e.widths) CHECK(w > 0);
    return std::accumulate(e.widths.begin(), e.widths.end(), std::size_t{0});
  };
  for (const std::uint64_t count : {1u, 3u, 1000u}) {
    CHECK(wide(count, {.micro_batch_width = 0, .least_width = 0, .most_width = 0}) <= 5);
    CHECK(wide(count, {.micro_batch_width = 0}) == 920);
    CHECK(wide(count, {.most_width = 500}) == 500);
    CHECK(wide(count, {.micro_batch_width = static_cast<std::size_t>(-1)}) == 4800);
  }
  CHECK(wide(1, {.least_width = 0}) == 40);
}

TEST_CASE("a stage takes the mean of each of its passes, together") {
  busiest_stage b;
  b.add(slice_kind::forward, 0, 2, 30);
  b.add(slice_kind::backward, 0, 1, 20);
  b.add(slice_kind::backward, 0, 1, 40);
  b.add(slice_kind::forward, 1, 10, 400);
  b.add(slice_kind::stash, 0, 1, 1000);
  CHECK(b.interval(0, 3) == 45);
  b.add(slice_kind::recompute, 1, 10, 60);
  CHECK(b.interval(1000, 0) == 46);
  CHECK(b.interval(4 * 46 * 10, 10) == 46);
  CHECK(b.interval(4 * 50 * 10, 10) == 50);  // there is more than passes
}

}  // namespace extent_test
