// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/stage_moves.hpp>

#include <ipuflow/run/chips/stage_waits.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

namespace stage_moves_test {

using namespace ipuflow;

namespace {

using counts = std::array<std::size_t, run::kinds_of_moves>;

counts counts_of(const run::moves_of_stage& of) {
  counts made{};
  for (const run::stage_move& m : of.all) ++made[m.kind];
  return made;
}

constexpr std::size_t slopes = 0, values = 3, arriving = 6, returning = 9;
constexpr std::size_t push = 0, pull = 1;

}  // namespace

TEST_CASE("a ring gives back what was put into it, and moves go from step to step") {
  for (const char* const name : {"1f1b", "gpipe", "grouped", "zb1p", "zbv", "chimera", "sequential"}) {
    CAPTURE(name);
    const schedule::table t = schedule::with_schedule(name, {.ipus = 4, .micro_batches = 40}, [](const auto& made) { return schedule::tabulate(made); });
    REQUIRE(!t.refused);
    const auto moves = run::moves_of(t);
    const auto waits = run::waits_of(t);
    REQUIRE(moves.size() == waits.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
      CHECK(moves[i].stage == waits[i].stage);
      CHECK(moves[i].chip == waits[i].chip);
      const counts seen = counts_of(moves[i]);
      for (const std::size_t channel : {values, arriving, returning}) CHECK(seen[channel + push] <= seen[channel + pull]);  // one may be read twice
      CHECK((seen[values + push] > 0) == (waits[i].values > 0));
      CHECK((seen[arriving + push] > 0) == (waits[i].arriving > 0));
      CHECK((seen[returning + push] > 0) == (waits[i].returning > 0));
      CHECK((seen[slopes + push] > 0) == (waits[i].slopes > 0));
      std::size_t step = 0;
      for (const run::stage_move& m : moves[i].all) {
        CHECK(m.step >= step);
        CHECK(m.step < t.steps());
        step = m.step;
      }
    }
  }
}

TEST_CASE("values of a stage that goes back at once are read where they were made") {
  const auto moves = run::moves_of(schedule::tabulate(schedule::one_f_one_b({.ipus = 3, .micro_batches = 6})));
  CHECK(counts_of(moves[0])[values + push] > 0);
  CHECK(counts_of(moves[2])[values + push] == 0);
}

}  // namespace stage_moves_test
