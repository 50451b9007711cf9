// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/parts.hpp>

#include <ipuflow/schedule/generators/catalogue.hpp>

#include "chips_stages.hpp"

#include <doctest/doctest.h>

namespace parts_test {

using namespace ipuflow;
using namespace ipuflow::run;
using namespace ipuflow::run::impl;

namespace {

struct wired {
  schedule::table t;
  chips_plan plan{t};
  ipu::graph g{chips_stages::few_tiles(), t.where.ipus};
  chips_options options;

  explicit wired(schedule::table timetable, const chips_options& o = {}) : t{std::move(timetable)}, options{o} {}

  std::vector<chips_part> parts() {
    std::vector<plan::lowered> lowered;
    for (const part_plan& p : plan.parts())
      lowered.push_back(chips_stages::product(g, p.stage + 1 == t.where.stages, lowering_of(p, t, g.chip(), options)));
    return part_wiring(plan, g, std::move(lowered), options).take();
  }
};

}  // namespace

TEST_CASE("rings are as deep as planned, for what is carried and nothing else, on the tiles of what they keep") {
  wired w(schedule::tabulate(schedule::grouped(schedule::setup{3, 0, 12})));
  const std::vector<chips_part> parts = w.parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const carried_values& planned = w.plan.parts()[i].values;
    const wired_channel& values = parts[i].values;
    CHECK(values.rings.size() == (planned.waits ? parts[i].with.values.size() : 0));
    for (std::size_t k = 0; k < values.rings.size(); ++k) {
      const ipu::impl::variable_ring& r = w.g.rings()[values.rings[k].index];
      CHECK(r.depth == planned.plan.depth);
      CHECK(w.g[r.slots].map() == w.g[values.what[k].made].map());
      CHECK(w.g[r.slots].name().view().starts_with("stash of "));
    }
  }
}

TEST_CASE("the host feeds the first stage, and entries that the stage before does not fill") {
  wired w(schedule::tabulate(schedule::grouped(schedule::setup{2, 0, 8})));
  const std::vector<chips_part> parts = w.parts();
  CHECK(parts[0].from_stage == 0);
  CHECK(parts[0].fed.size() == 1);
  CHECK(parts[1].from_stage == 1);
  CHECK(parts[1].fed.empty());
  wired silent(schedule::tabulate(schedule::grouped(schedule::setup{2, 0, 8})), {.synthetic = true});
  CHECK(silent.parts()[0].fed.empty());
}

TEST_CASE("weights that live elsewhere are loaded before the passes that read them, and before no other") {
  wired w(schedule::tabulate(schedule::zb1p(schedule::setup{2, 0, 4})), {.weights = kept_in::streaming_memory});
  for (const chips_part& p : w.parts()) {
    REQUIRE(p.homes.size() == 2);
    CHECK(p.loaded[static_cast<std::size_t>(part_work::forward)].size() == 2);
    CHECK(p.loaded[static_cast<std::size_t>(part_work::backward_inputs)].size() == 2);
    CHECK(p.loaded[static_cast<std::size_t>(part_work::backward_weights)].empty());
    CHECK(!w.g[p.with.parameters[0].value].always_live());
  }
}

}  // namespace parts_test
