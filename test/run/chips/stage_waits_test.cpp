// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/stage_waits.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace stage_waits_test {

using namespace ipuflow;

TEST_CASE("values wait as long as the schedule's FIFOs are deep") {
  const schedule::table t = schedule::tabulate(schedule::grouped({.ipus = 4, .micro_batches = 16}));
  const auto waits = run::waits_of(t);
  REQUIRE(waits.size() == 4);
  const auto depths = schedule::fifo_depths(t);
  for (std::size_t s = 0; s < 4; ++s) {
    CHECK(waits[s].stage == s);
    CHECK(waits[s].chip == s);
    CHECK(waits[s].values == depths[s]);
    CHECK(waits[s].slopes == 0);
    CHECK(!waits[s].recomputes);
  }
}

TEST_CASE("a backward pass in two parts has gradients that wait between them") {
  const auto waits = run::waits_of(schedule::tabulate(schedule::zb1p({.ipus = 4, .micro_batches = 12})));
  CHECK(waits[1].slopes > 0);
}

TEST_CASE("recomputation is said") {
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 4}));
  CHECK(run::waits_of(t, schedule::all_stages)[0].recomputes);
  CHECK(!run::waits_of(t, {1})[0].recomputes);
  CHECK(run::waits_of(t, {1})[1].recomputes);
  CHECK(run::waits_of(t)[0].values == run::waits_of(t, schedule::all_stages)[0].values);
}

}  // namespace stage_waits_test
