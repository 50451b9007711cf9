// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include "hand_made.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace host_timeline_test {

using namespace ipuflow;
using namespace ipuflow::report;

TEST_CASE("every operation once on the row of its IPU, every run once on the host's") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 8});
  const run::trace traced = hand_made::on_host(t, 2);
  const timeline seen = timeline_of(traced);
  CHECK(seen.rows.size() == 5);
  CHECK(seen.rows[4].host);
  CHECK(seen.complete);
  CHECK(seen.left_out == 0);
  CHECK(seen.slices.size() == traced.events().size() + 2);
  const auto first = std::min_element(traced.events().begin(), traced.events().end(),
                                      [](const auto& a, const auto& b) { return a.start < b.start; });
  for (const run::event& e : traced.events()) {
    const auto found = std::count_if(seen.slices.begin(), seen.slices.end(), [&](const slice& s) {
      return s.row == e.ipu && s.kind == kind_of(e.what.kind) && s.stage == e.what.stage && s.thread == e.thread &&
             s.micro_batch == e.what.micro_batch && std::chrono::nanoseconds{s.start} == e.start - first->start &&
             std::chrono::nanoseconds{s.finish} == e.finish - first->start;
    });
    CHECK(found == 1);
  }
  for (const row& r : seen.rows) CHECK(r.lanes == 1);
}

TEST_CASE("what the trace had no room for, and what is not asked for, is counted") {
  const auto t = schedule::grouped({.ipus = 2, .micro_batches = 8});
  const std::size_t all = operations(t);
  const timeline short_of_room = timeline_of(hand_made::on_host(t, 1, all - 5));
  CHECK(short_of_room.left_out == 5);
  CHECK_FALSE(short_of_room.complete);
  const timeline asked = timeline_of(hand_made::on_host(t, 1), 10);
  CHECK(asked.left_out == all - 10);
  CHECK(asked.slices.size() == 10);  // and no run, as none is over
  CHECK(asked.length == timeline_of(hand_made::on_host(t, 1)).length);
}

TEST_CASE("nothing happened") {
  const timeline seen = timeline_of(run::trace{0});
  CHECK(seen.slices.empty());
  CHECK(seen.length == 0);
  CHECK(seen.rows.size() == 1);
}

}  // namespace host_timeline_test
