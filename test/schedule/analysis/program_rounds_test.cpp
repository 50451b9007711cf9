// SPDX-License-Identifier: BSL-1.0
// The rounds of a program: every operation once, and alike where all IPUs repeat their phase.
#include <ipuflow/schedule/analysis/program_rounds.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <doctest/doctest.h>

namespace program_rounds_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

struct tally {
  std::size_t alike = 0;
  std::size_t busy = 0;
  bool done = false;
};

/// Runs to the end, without `left_out` rounds of those that are alike.
tally run(const program& t, std::size_t left_out) {
  const costs c;
  program_rounds<costs> rounds{t, c};
  tally found;
  while (!rounds.done()) {
    rounds.begin_round();
    if (!rounds.round(rounds)) return found;
    if (rounds.alike() > found.alike) found.alike = rounds.alike();
    if (left_out == 0 || rounds.alike() < left_out || !rounds.can_repeat()) continue;
    rounds.leave_out(left_out);
    left_out = 0;
  }
  for (std::size_t ipu = 0; ipu < rounds.lanes(); ++ipu) found.busy += rounds.busy(ipu);
  found.done = true;
  return found;
}

}  // namespace

TEST_CASE("all operations are run, and the repeats of the long phase are alike") {
  for (const program& t : {zbv({.ipus = 3, .micro_batches = 100}), dualpipe({.ipus = 4, .micro_batches = 200}),
                           dualpipev({.ipus = 3, .micro_batches = 100})}) {
    const tally whole = run(t, 0);
    REQUIRE(whole.done);
    CHECK(whole.busy == t.where.stages * t.where.micro_batches * 3);
    CHECK(whole.alike > 60);
    const tally part = run(t, 50);
    REQUIRE(part.done);
    CHECK(part.busy == t.where.stages * (t.where.micro_batches - 50 * t.where.directions()) * 3);
  }
}

TEST_CASE("beats for micro-batches that are not there repeat nothing") {
  const tally few = run(zbv({.ipus = 8, .micro_batches = 9}), 0);
  REQUIRE(few.done);
  CHECK(few.alike == 0);
}

}  // namespace program_rounds_test
