// SPDX-License-Identifier: BSL-1.0
// Makespan, busy and idle time and both bubbles; each schedule's published figures.
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/timing.hpp>

#include <doctest/doctest.h>

namespace timing_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(makespan(one_f_one_b({.ipus = 4, .micro_batches = 8})) == 33);
static_assert(bubble(one_f_one_b({.ipus = 4, .micro_batches = 8})) < 0.28);

namespace {

std::size_t directions(const grid& where) { return where.directions(); }
std::size_t directions(const roster& where) { return where.crossed ? 2 : 1; }

}  // namespace

TEST_CASE("busy time is work, idle time is the rest") {
  const costs c{.forward = 2, .backward_inputs = 3, .backward_weights = 4, .communication = 1, .update = 10};
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [&](auto, const setup&, const auto& t) {
    const times found = times_of(t, c);
    std::size_t work = 0, idle = 0;
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      CHECK(found.busy(ipu) + found.idle(ipu) == found.makespan);
      CHECK(found.span(ipu) >= found.busy(ipu));
      CHECK(found.bubble(ipu) ==
            doctest::Approx(static_cast<double>(found.idle(ipu)) / static_cast<double>(found.makespan)));
      work += found.busy(ipu);
      idle += found.idle(ipu);
    }
    const bool trains = t.run_for == mode::training;
    const std::size_t seats = t.where.stages * directions(t.where);
    CHECK(work == t.where.stages * t.where.micro_batches * (trains ? 9 : 2) + (trains ? 10 * seats : 0));
    CHECK(found.bubble() ==
          doctest::Approx(static_cast<double>(idle) / static_cast<double>(found.makespan * t.where.ipus)));
    CHECK(found.span_bubble() <= found.bubble() + 1.0);
  });
}

TEST_CASE("grouped and interleaved in lock step") {
  const setup asked{.ipus = 4, .micro_batches = 16};
  CHECK(lock_step_makespan(grouped(asked), costs{1, 1, 0}) == 2 * 16 + 2 * 4 - 2);
  CHECK(lock_step_makespan(interleaved(asked), costs{1, 1, 0}) == 2 * 16 + 2 * 4 - 2);
  CHECK(lock_step_makespan(grouped(asked)) == makespan(grouped(asked)));
  CHECK(lock_step_makespan(interleaved(asked)) > makespan(interleaved(asked)));  // a backward in nearly every step
}

TEST_CASE("steps of the grid") {
  CHECK(step_count(grouped({.ipus = 2, .micro_batches = 8})) == 11);
  CHECK(step_count(interleaved({.ipus = 4, .micro_batches = 16})) == 38);
  CHECK(step_count(inference({.ipus = 3, .micro_batches = 6})) == 8);
  CHECK(step_count(one_f_one_b({.ipus = 4, .micro_batches = 8})) == 22);
  CHECK(step_count(zb1p({.ipus = 4, .micro_batches = 8})) == 27);
}

}  // namespace timing_test
