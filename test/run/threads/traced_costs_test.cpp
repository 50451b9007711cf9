// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/run/threads/traced_costs.hpp>
#include <ipuflow/schedule/generators/zb1p.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <doctest/doctest.h>

#include "../checked_work.hpp"

#include <chrono>
#include <cstddef>

namespace traced_costs_test {

using namespace ipuflow;
using schedule::pass;

namespace {

struct took {
  pass kind;
  std::size_t stage;
  std::size_t nanoseconds;
};

run::trace made(std::initializer_list<took> all) {
  run::trace traced{all.size()};
  auto pens = traced.pens(1);
  for (const took& t : all) {
    run::event e{.what = {t.kind, t.stage, 0}};
    e.finish = e.start + std::chrono::nanoseconds{t.nanoseconds};
    pens[0].note(e);
  }
  traced.collect(pens);
  return traced;
}

}  // namespace

TEST_CASE("a pass costs the median of its times, so that one interruption does not count") {
  const auto t = schedule::zb1p(schedule::setup{2, 0, 4});
  const auto c = run::costs_in(made({{pass::forward, 0, 10},
                                     {pass::forward, 0, 12},
                                     {pass::forward, 0, 9000},
                                     {pass::backward_inputs, 0, 20},
                                     {pass::backward_weights, 0, 30},
                                     {pass::forward, 1, 5},
                                     {pass::backward, 1, 41},
                                     {pass::update, 1, 7}}),
                               t, 3);
  REQUIRE(c.stage.size() == 2);
  CHECK(c.stage[0] == schedule::costs{12, 20, 30, 3, 0, 0});
  CHECK(c.stage[1] == schedule::costs{5, 21, 20, 3, 7, 0});  // a whole backward is both halves
}

TEST_CASE("a run on threads is traced, searched with its costs, and what is found runs on threads") {
  const auto t = schedule::zb1p(schedule::setup{3, 0, 6});
  run::crew crew{2};
  run::trace seen{operations(t)};
  const auto willing = [](std::size_t, const schedule::op&) { return std::size_t{0}; };
  CHECK(checked::broken_promise(t, crew, {.events = &seen}, willing) == nullptr);
  const auto found = schedule::search(t.where, run::costs_in(seen, t, 0), {{}, 3}, {.iterations = 20});
  REQUIRE_FALSE(found.refused);
  CHECK(found.peak_bytes <= 3);
  run::trace again{operations(found.timetable)};
  CHECK(checked::broken_promise(found.timetable, crew, {.events = &again}, willing) == nullptr);
  CHECK(again.events().size() == operations(t));
}

}  // namespace traced_costs_test
