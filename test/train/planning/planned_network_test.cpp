// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/planned_network.hpp>

#include <doctest/doctest.h>

namespace planned_network_test {

using namespace planning_test;

TEST_CASE("a planned network counts as its optimiser does, whose type it hides") {
  const train::planned_network planned = train::planned(network, plan::numbers::f32_32, train::adamw{}, true);
  CHECK(planned.precision == plan::numbers::f32_32);
  CHECK(planned.bytes_in);
  CHECK(planned.network.blocks() == 6);
  const train::cut_network cut{planned.network, {3}};
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 4}));
  const train::options o{.micro_batch = 2};
  CHECK(planned.count(planned.optimiser.get(), cut, t, 1, o, {}, {}) == train::count_chip(cut, t, 1, train::adamw{}, o, {}));
  CHECK(planned.count(planned.optimiser.get(), cut, t, 1, o, {}, {}) != train::count_chip(cut, t, 1, train::sgd{}, o, {}));
  CHECK(planned.count_all(planned.optimiser.get(), cut, t, o, {}, {}).chips.total == train::count_step(cut, t, train::adamw{}, o, {}).chips.total);
}

}  // namespace planned_network_test
