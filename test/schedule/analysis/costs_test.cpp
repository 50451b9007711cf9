// SPDX-License-Identifier: BSL-1.0
// Costs of passes, for all stages or for each.
#include <ipuflow/schedule/analysis/costs.hpp>

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

}  // namespace costs_test
