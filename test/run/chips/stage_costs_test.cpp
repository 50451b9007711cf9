// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/stage_costs.hpp>

#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/zb1p.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace stage_costs_test {

using namespace ipuflow;
using run::chips_work;
using schedule::pass;

namespace {

/// A profile of two stages and four micro-batches, made by hand: so many cycles for all runs of each label.
run::chips_profile made(std::vector<std::pair<run::chips_label, std::uint64_t>> labels) {
  run::chips_profile p;
  p.micro_batches = 4;
  for (const auto& [what, each] : labels) {
    const bool once = what.work >= chips_work::clear || what.pass == pass::update;
    p.chips.activities.push_back({.label = p.labels.size(), .length = {each}, .turns = once ? 1u : 4u});
    p.labels.push_back(what);
    p.order.emplace_back();
  }
  return p;
}

}  // namespace

TEST_CASE("a pass costs what its label and those around it took; what is done once is in the update") {
  const auto t = schedule::grouped(schedule::setup{2, 0, 4});
  const auto c = run::costs_in(made({{{chips_work::pass, 0, 0, pass::forward}, 100},
                                     {{chips_work::stash, 0, 0, pass::forward}, 5},
                                     {{chips_work::exchange, 0, 0, pass::forward}, 7},
                                     {{chips_work::restore, 0, 0, pass::backward}, 3},
                                     {{chips_work::pass, 0, 0, pass::backward}, 200},
                                     {{chips_work::clear, 0, 0, pass::backward_weights}, 11},
                                     {{chips_work::load, 0, 0, pass::update}, 17},
                                     {{chips_work::update, 0, 0, pass::update}, 13}}),
                               t, 50);
  REQUIRE(c.stage.size() == 2);
  CHECK(c.stage[0] == schedule::costs{112, 203, 0, 50, 41, 0});
  CHECK(c.stage[1] == schedule::costs{0, 0, 0, 50, 0, 0});
}

TEST_CASE("a recomputation that the timetable has no pass for is part of the backward") {
  const auto within = schedule::grouped(schedule::setup{2, 0, 4});
  const auto apart = schedule::grouped(schedule::setup{2, 0, 4}, {.recompute = schedule::recomputation::automatic});
  const auto p = made({{{chips_work::pass, 0, 0, pass::forward}, 100}, {{chips_work::pass, 0, 0, pass::recompute}, 90}, {{chips_work::pass, 0, 0, pass::backward}, 200}});
  CHECK(run::costs_in(p, within, 0).stage[0] == schedule::costs{100, 290, 0, 0, 0, 0});
  CHECK(run::costs_in(p, apart, 0).stage[0] == schedule::costs{100, 200, 0, 0, 0, 90});
}

TEST_CASE("halves of a backward have costs of their own") {
  const auto t = schedule::zb1p(schedule::setup{2, 0, 4});
  const auto c = run::costs_in(made({{{chips_work::pass, 1, 1, pass::backward_inputs}, 80}, {{chips_work::pass, 1, 1, pass::backward_weights}, 60}}), t, 0);
  CHECK(c.stage[1] == schedule::costs{0, 80, 60, 0, 0, 0});
}

}  // namespace stage_costs_test
