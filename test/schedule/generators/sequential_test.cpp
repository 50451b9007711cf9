// SPDX-License-Identifier: BSL-1.0
// Sequential and sharded run one operation at a time in the whole system, for any number of micro-batches.
#include "reference_programs.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace sequential_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(accept<verify(sequential({.ipus = 64, .micro_batches = 1'000'000}))>());
static_assert(accept<verify(sharded({.ipus = 64, .micro_batches = 1'000'000}))>());

TEST_CASE("slot k of micro-batch m is at step 2S m + k") {
  for (const mode run_for : {mode::training, mode::inference}) {
    for (std::size_t stages = 2; stages <= 6; ++stages) {
      for (std::size_t count = 1; count <= 5; ++count) {
        const auto t = sequential({.ipus = stages, .micro_batches = count, .run_for = run_for});
        REQUIRE_FALSE(verify(t));
        REQUIRE_FALSE(verify_order(t));
        const std::size_t slots = run_for == mode::training ? 2 * stages : stages;
        std::size_t step = 0;
        for (const auto& e : reference::run_slots(slots, {0}, count)) {
          CHECK(t.step_of(reference::op_of(e, stages)) == step++);
        }
        CHECK(t.steps() == step);
        CHECK(makespan(t, one_step_each{}) == slots * count);
        CHECK(fifo_depths(t)[0] == 0);
        CHECK(in_flight(t)[0] == 1);
      }
    }
  }
}

TEST_CASE("sharded is the same order, for one stage too") {
  const auto t = sharded({.ipus = 3, .micro_batches = 4});
  const auto s = sequential({.ipus = 3, .micro_batches = 4});
  for (std::size_t ipu = 0; ipu < 3; ++ipu) {
    for (std::size_t step = 0; step < s.steps(); ++step) CHECK(t.ops(ipu, step) == s.ops(ipu, step));
  }
  CHECK_FALSE(verify(sharded({.ipus = 1, .micro_batches = 4})));
  CHECK(sequential({.ipus = 1, .micro_batches = 4}).refused.kind == schedule_wrong::one_stage_only);
  CHECK_FALSE(verify(sequential(devices(0, 0, 0), micro_batches<5>)));
  CHECK_FALSE(verify_order(sharded(devices(0, 1, 0), micro_batches<5>)));
}

TEST_CASE("sharded takes no more stages than there may be, and each has an IPU") {
  CHECK(sharded(setup{.ipus = 1024, .stages_per_ipu = 4, .micro_batches = 4}).refused ==
        schedule_fault{schedule_wrong::too_many_stages, 4096, most_stages});
  device_map<3> gap;
  gap.add(0, 0);
  gap.add(2, 1);
  CHECK(sharded(gap, micro_batches<4>).refused.kind == schedule_wrong::unmapped_stage);
  CHECK(sharded(devices(0, on_ipus(1, 1)), micro_batches<4>).refused.kind == schedule_wrong::branch_twice);
}

TEST_CASE("a stage on no IPU is found by arithmetic and by running") {
  device_map<3> gap;
  gap.add(0, 0);
  gap.add(2, 1);
  gap.micro_batches = 4;
  const auto t = sharded.write(gap, mode::training, recomputation::none);
  const schedule_fault found{.kind = schedule_wrong::unmapped_stage, .where = {.stage = 1}};
  CHECK(verify(t) == found);
  CHECK(verify_order(t) == found);
}

}  // namespace sequential_test
