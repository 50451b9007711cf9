// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/forms/liveness.hpp>

#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/phased.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>

#include <doctest/doctest.h>

namespace liveness_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("the liveness goes with the timetable, written out or not; other schedules move nothing") {
  constexpr phased_options options{.live = liveness::off_chip_after_each_phase};
  CHECK(phased({.ipus = 2, .micro_batches = 2}, options).live == options.live);
  CHECK(tabulate(phased({.ipus = 2, .micro_batches = 2}, options)).live == options.live);
  CHECK(tabulate(sharded(setup{.ipus = 2, .micro_batches = 2})).live == liveness::always_live);
}

}  // namespace liveness_test
