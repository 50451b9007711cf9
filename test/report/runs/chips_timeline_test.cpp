// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/runs/chips_timeline.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>

#include "hand_made.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace chips_timeline_test {

using namespace ipuflow;
using namespace ipuflow::report;

namespace {

std::size_t count(const timeline& t, std::size_t row, slice_kind kind) {
  return static_cast<std::size_t>(
      std::count_if(t.slices.begin(), t.slices.end(), [&](const slice& s) { return s.row == row && s.kind == kind; }));
}

}  // namespace

TEST_CASE("each activity once on the row that it belongs to, streams on the host's too, nobody's on all IPUs'") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 8});
  const run::chips_profile p = hand_made::on_chips(t, 2);
  const timeline seen = timeline_of(p);
  REQUIRE(seen.rows.size() == 5);
  for (std::size_t chip = 0; chip < 4; ++chip) {
    CHECK(count(seen, chip, slice_kind::forward) == 16);
    CHECK(count(seen, chip, slice_kind::backward) == 16);
    CHECK(count(seen, chip, slice_kind::stash) == 16);
    CHECK(count(seen, chip, slice_kind::exchange) == 2 * t.steps());
    CHECK(count(seen, chip, slice_kind::update) == 2);
    CHECK(count(seen, chip, slice_kind::infeed) == (chip == 0 ? 16 : 0));
  }
  CHECK(count(seen, 4, slice_kind::infeed) == 16);
  CHECK(count(seen, 4, slice_kind::exchange) == 0);
  CHECK(seen.length == p.chips.total.value);
  CHECK(seen.in_cycles);
  for (const row& r : seen.rows) CHECK(r.lanes == 1);
  for (const slice& s : seen.slices) {
    if (is_pass(s.kind) && s.kind != slice_kind::update && s.kind != slice_kind::infeed) CHECK(s.run < 2);
  }
  CHECK(seen.runs.size() == 2);
  CHECK(seen.runs[0].steady < seen.runs[0].drain);
}

TEST_CASE("cycles on a row add up to what the profile says of its passes") {
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 3, .micro_batches = 12}));
  const timeline seen = timeline_of(p);
  for (const run::label_total& total : p.totals()) {
    if (total.what.chip == schedule::nowhere) continue;
    std::uint64_t sum = 0;
    for (const slice& s : seen.slices) {
      const bool same = s.row == total.what.chip && s.stage == total.what.stage && s.kind == kind_of(total.what);
      sum += same ? s.finish - s.start : 0;
    }
    CHECK(sum == total.busy.value);
  }
}

TEST_CASE("windows have what touches them, and know the ramps of all") {
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 4, .micro_batches = 64}));
  const timeline all = timeline_of(p);
  const std::uint64_t total = p.chips.total.value;
  const ipuflow::light_vector<window> windows{{0, total / 8}, {total / 2, total / 2 + 5000}, {total - total / 8, total}};
  const timeline some = timeline_of(p, {.windows = windows});
  ipuflow::light_vector<slice> wanted;
  for (const slice& s : all.slices) {
    const bool touches = std::any_of(windows.begin(), windows.end(),
                                     [&](const window& w) { return s.start < w.end && s.finish > w.begin; });
    if (touches) wanted.push_back(s);
  }
  CHECK(some.slices == wanted);
  CHECK(some.runs == all.runs);
  CHECK(some.left_out > 0);
  CHECK(some.complete);
}

TEST_CASE("a limit cuts the end off") {
  const run::chips_profile p = hand_made::on_chips(schedule::sequential({.ipus = 2, .micro_batches = 50}));
  const timeline all = timeline_of(p);
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{17}, all.slices.size()}) {
    const timeline some = timeline_of(p, {.most = most});
    CHECK(some.slices.size() <= most);
    CHECK(some.slices.size() + 4 >= most);  // what belongs to several rows is on all or none
    CHECK(std::equal(some.slices.begin(), some.slices.end(), all.slices.begin()));
    CHECK(some.complete == (most == all.slices.size()));
  }
}

TEST_CASE("an empty profile") {
  const timeline seen = timeline_of(run::chips_profile{});
  CHECK(seen.slices.empty());
  CHECK(seen.rows.size() == 1);
}

}  // namespace chips_timeline_test
