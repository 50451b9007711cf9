// SPDX-License-Identifier: BSL-1.0
// Costs of passes, for all stages or for each.
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/interleaved_1f1b.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

namespace costs_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(pricing<costs> && pricing<costs_of_stages<4>> && pricing<one_step_each>);

TEST_CASE("a whole backward costs both halves") {
  constexpr costs c{
      .forward = 2, .backward_inputs = 3, .backward_weights = 4, .communication = 5, .update = 6, .recompute = 7};
  CHECK(c.of(pass::forward, 0) == 2);
  CHECK(c.of(pass::backward, 0) == 7);
  CHECK(c.of(pass::backward_inputs, 0) == 3);
  CHECK(c.of(pass::backward_weights, 0) == 4);
  CHECK(c.of(pass::update, 0) == 6);
  CHECK(c.of(pass::recompute, 0) == 7);
  CHECK(c.of(pass::infeed, 0) == 0);
  CHECK(message_time(c, 1) == 5);
}

TEST_CASE("each stage its own") {
  costs_of_stages<2> c;
  c.stage.push_back({.forward = 2});
  c.stage.push_back({.forward = 9, .communication = 3});
  CHECK(c.of(pass::forward, 0) == 2);
  CHECK(c.of(pass::forward, 1) == 9);
  CHECK(message_time(c, 1) == 3);
}

TEST_CASE("a stage without a record is told, not free") {
  costs_of_stages<4> c;
  c.stage.push_back({.forward = 2});
  const char* const told =
      "ipuflow: costs are given for 1 stage, but stage 1 of the timetable has none; give a record for each of its stages, in their order";
  CHECK_THROWS_WITH((void)c.of(pass::forward, 1), told);
  CHECK_THROWS_WITH((void)message_time(c, 1), told);
  CHECK_THROWS_WITH((void)makespan(one_f_one_b({.ipus = 2, .micro_batches = 4}), c), told);
  c.stage.push_back({.forward = 2});
  CHECK(makespan(one_f_one_b({.ipus = 2, .micro_batches = 4}), c) == makespan(one_f_one_b({.ipus = 2, .micro_batches = 4}), costs{.forward = 2}));
  CHECK_THROWS_WITH((void)makespan(interleaved_1f1b({.ipus = 2, .stages_per_ipu = 2, .micro_batches = 4}), c),
                    "ipuflow: costs are given for 2 stages, but stage 2 of the timetable has none; give a record for each of its stages, in their "
                    "order");
}

}  // namespace costs_test
