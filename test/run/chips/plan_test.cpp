// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/plan.hpp>

#include <doctest/doctest.h>

#include "each_table.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plan_test {

using namespace ipuflow;
using namespace ipuflow::run;
using namespace ipuflow::run::impl;
using chips_tables::each_table;

TEST_CASE("values wait in as many slots as the schedule keeps, and not at all where it keeps none") {
  each_table(4, 16, [](const schedule::table& t) {
    const chips_plan plan(t);
    const schedule::counts depths = schedule::fifo_depths(t);
    for (const part_plan& p : plan.parts()) {
      CHECK(p.values.plan.depth == depths[p.stage]);
      CHECK(p.values.waits == (depths[p.stage] > 0));
      CHECK(p.chip == t.where.ipu_of(t.where.first_seat(p.stage) + p.branch, p.events[0].micro_batch));
    }
  });
}

TEST_CASE("what is exchanged never queues in grouped, interleaved and sequential") {
  for (const std::string_view name : {"grouped", "interleaved", "sequential"}) {
    schedule::with_schedule(name, {4, 0, 16}, [](const auto& t) {
      const schedule::table written = schedule::tabulate(t);
      const chips_plan plan(written);
      for (const part_plan& p : plan.parts()) {
        CHECK(p.arriving.plan.depth == 0);
        CHECK(p.returning.plan.depth == 0);
        CHECK(!p.slopes.waits);
      }
    });
  }
}

TEST_CASE("eager forwards make values queue, on the receiving side") {
  const schedule::table t = schedule::tabulate(schedule::eager_1f1b(schedule::setup{4, 0, 16}));
  std::size_t queues = 0;
  const chips_plan plan(t);
  for (const part_plan& p : plan.parts()) queues += p.arriving.plan.depth;
  CHECK(queues > 0);
}

TEST_CASE("a stage that runs both ways is two parts, any other one for each branch") {
  const schedule::table both = schedule::tabulate(schedule::chimera(schedule::setup{4, 0, 8}));
  const chips_plan plan(both);
  CHECK(plan.parts().size() == 8);
  CHECK(plan.part_of(0, 0) != plan.part_of(0, 7));
  CHECK(plan.half(3) == 0);
  CHECK(plan.half(4) == 1);
  const schedule::table one =
      schedule::tabulate(schedule::grouped(schedule::devices(0, schedule::on_ipus(1, 2), 3), micro_batches<12>));
  CHECK(chips_plan(one).parts().size() == 4);
  CHECK(chips_plan(one).part_of(1, 0) == chips_plan(one).part_of(1, 11));
}

}  // namespace plan_test
