// SPDX-License-Identifier: BSL-1.0
// Runs and their ramps, found without knowing the schedule, are those of the schedule.
#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/report/runs/run_marks.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/interleaved_1f1b.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>

#include "hand_made.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace run_marks_test {

using namespace ipuflow;
using namespace ipuflow::report;
using namespace ipuflow::report::impl;

namespace {

/// By hand: from the last first backward to the first last forward, on the one run that is there.
template <class T>
run_times expected(const T& t) {
  std::vector<std::uint64_t> begins(t.where.ipus, static_cast<std::uint64_t>(-1));
  std::vector<std::uint64_t> ends(t.where.ipus, 0);
  run_times all;
  schedule::for_each_timed(t, schedule::costs{.forward = 2, .backward_inputs = 2, .backward_weights = 2},
                           [&](std::size_t ipu, std::size_t, const schedule::op& o, schedule::span_of_time s) {
                             const bool begin = schedule::is_backward(o.kind) || t.run_for == mode::inference;
                             if (begin) begins[ipu] = std::min<std::uint64_t>(begins[ipu], s.start * 1000);
                             if (o.kind == schedule::pass::forward)
                               ends[ipu] = std::max<std::uint64_t>(ends[ipu], s.finish * 1000);
                             all.finish = std::max<std::uint64_t>(all.finish, s.finish * 1000);
                           });
  all.steady = *std::max_element(begins.begin(), begins.end());
  all.drain = *std::min_element(ends.begin(), ends.end());
  return all;
}

template <class T>
void check(const T& t) {
  const timeline seen = timeline_of(hand_made::on_host(t, 3));
  REQUIRE(seen.runs.size() == 3);
  CHECK(seen.runs[0] == expected(t));
  for (const slice& s : seen.slices) {
    CHECK(seen.runs[s.run].start <= s.start);
    CHECK(s.finish <= seen.runs[s.run].finish);
  }
  for (std::size_t r = 1; r < 3; ++r)
    CHECK(seen.runs[r].start - seen.runs[r - 1].start == seen.length - seen.runs[2].start + 3000);
}

}  // namespace

TEST_CASE("ramps are those of the schedule, run after run") {
  check(schedule::grouped({.ipus = 4, .micro_batches = 16}));
  check(schedule::one_f_one_b({.ipus = 4, .micro_batches = 9}));
  check(schedule::interleaved_1f1b({.ipus = 2, .stages_per_ipu = 2, .micro_batches = 6}));
  check(schedule::gpipe({.ipus = 3, .micro_batches = 5}));
  check(schedule::inference({.ipus = 3, .micro_batches = 7, .run_for = mode::inference}));
}

TEST_CASE("one micro-batch at a time has no ramps") {
  for (const std::size_t ipus : {2u, 4u}) {
    const timeline seen = timeline_of(hand_made::on_host(schedule::sequential({.ipus = ipus, .micro_batches = 5}), 2));
    REQUIRE(seen.runs.size() == 2);
    CHECK(seen.runs[1].steady == seen.runs[1].drain);
  }
  const timeline used = timeline_of(
      hand_made::on_host(schedule::sequential({.ipus = 3, .micro_batches = 5, .run_for = mode::inference})));
  REQUIRE(used.runs.size() == 1);
  CHECK(used.runs[0].steady == used.runs[0].drain);  // the next begins when the one before has just ended
  CHECK(run_marks{}.times().empty());
}

}  // namespace run_marks_test
