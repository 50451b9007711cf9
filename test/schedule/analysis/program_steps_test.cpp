// SPDX-License-Identifier: BSL-1.0
// The steps of a program are its operations in order: none is lost where some belong to the step before them.
#include <ipuflow/schedule/analysis/program_steps.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace program_steps_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

using listed = std::vector<std::pair<pass, std::size_t>>;  // of operations: what and of which stage

/// By steps, `left_out` repeats of the longest phase fewer.
template <class Steps>
listed by_steps(Steps& steps, const run_log& log, std::size_t ipu, std::size_t left_out = 0) {
  listed found;
  while (steps.size(ipu) > 0) {
    for (std::size_t n = 0; n < steps.size(ipu); ++n) {
      const program_step& s = steps[steps.index(ipu, n)];
      for (std::size_t i = 0; i < s.operations; ++i) {
        const run_event& e = log.entries()[steps.code(s, i)].event;
        CHECK(e.lane == ipu);
        found.emplace_back(static_cast<pass>(e.cost % pass_count), e.cost / pass_count);
      }
    }
    if (left_out > 0 && steps.repeat(ipu) + left_out + 1 < steps.repeats(ipu)) {
      steps.leave_out(ipu, left_out);
      left_out = 0;
    }
    steps.go_on(ipu);
  }
  return found;
}
listed by_walking(const program& t, std::size_t ipu) {
  listed found;
  for (auto w = t.walk(ipu); w; ++w) found.emplace_back(w->kind, w->stage);
  return found;
}

struct made {
  program timetable;
  costs c{.forward = 3, .backward_inputs = 5, .backward_weights = 7, .communication = 2};
  run_links links{timetable.where, c};
  run_log log = begun_log<run_log>(timetable.where.stages * pass_count, links);
  program_steps<costs, run_log> steps{timetable, c, links, log};
};

}  // namespace

TEST_CASE("all operations, in the order of the walk, with few micro-batches and with many") {
  for (const std::size_t count : {8u, 9u, 20u, 50u}) {
    for (const program& t : {zbv({.ipus = 4, .micro_batches = count}), dualpipe({.ipus = 4, .micro_batches = count + count % 2}),
                             dualpipev({.ipus = 4, .micro_batches = count})}) {
      REQUIRE_FALSE(t.refused);
      made m{t};
      for (std::size_t ipu = 0; ipu < 4; ++ipu) CHECK(by_steps(m.steps, m.log, ipu) == by_walking(t, ipu));
    }
  }
}

TEST_CASE("repeats that are left out are as if there were fewer micro-batches") {
  made m{zbv({.ipus = 4, .micro_batches = 100})};
  for (std::size_t ipu = 0; ipu < 4; ++ipu) CHECK(by_steps(m.steps, m.log, ipu, 60) == by_walking(zbv({.ipus = 4, .micro_batches = 40}), ipu));
}

TEST_CASE("what neither reads nor sends belongs to the step before it") {
  made m{zbv({.ipus = 2, .micro_batches = 30})};
  std::size_t most = 0;
  while (m.steps.size(1) > 0) {
    for (std::size_t n = 0; n < m.steps.size(1); ++n) {
      const program_step& s = m.steps[m.steps.index(1, n)];
      CHECK((n == 0 || s.in[0] != run_links::none || s.out[0] != run_links::none));
      CHECK(s.time + s.after == s.busy);  // none runs together with another
      most = s.operations > most ? s.operations : most;
    }
    m.steps.go_on(1);
  }
  CHECK(most == 2);
}

TEST_CASE("two that run together are one step, that reads and sends the messages of both") {
  made m{dualpipev({.ipus = 3, .micro_batches = 30})};
  std::size_t pairs = 0;
  while (m.steps.size(0) > 0) {
    for (std::size_t n = 0; n < m.steps.size(0); ++n) {
      const program_step& s = m.steps[m.steps.index(0, n)];
      if (!s.pair) continue;
      ++pairs;
      CHECK(s.time == 3 + 5 + 7);
      CHECK(s.after == 0);
      CHECK(s.operations == 2);
    }
    m.steps.go_on(0);
  }
  CHECK(pairs > 20);
}

}  // namespace program_steps_test
