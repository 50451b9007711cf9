// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/updates.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include "chips_stages.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace updates_test {

using namespace ipuflow;
using namespace ipuflow::run;
using namespace ipuflow::run::impl;

namespace {

struct fixture {
  schedule::table t;
  chips_plan plan{t};
  ipu::graph g{chips_stages::few_tiles(), t.where.ipus};
  chips_options options;
  label_book labels{};
  ipuflow::light_vector<chips_part> parts = [this] {
    ipuflow::light_vector<plan::lowered> lowered;
    for (const part_plan& p : plan.parts())
      lowered.push_back(chips_stages::product(g, p.stage + 1 == t.where.stages, lowering_of(p, t, g.chip(), options)));
    return part_wiring(plan, g, std::move(lowered), options).take();
  }();
  chips_updates updates{plan, g, parts, labels};

  explicit fixture(schedule::table timetable, const chips_options& o = {}) : t{std::move(timetable)}, options{o} {}
};

/// How many steps of a kind there are in one.
template <class Kind>
std::size_t count(const ipu::step& s) {
  std::size_t found = s.is<Kind>() ? 1 : 0;
  ipu::for_each_inner(s, [&](const ipu::step& inner) { found += count<Kind>(inner); });
  return found;
}
template <class Kind>
std::size_t count(const ipuflow::light_vector<ipu::step>& all) {
  std::size_t found = 0;
  for (const ipu::step& s : all) found += count<Kind>(s);
  return found;
}

constexpr kept_in away = kept_in::streaming_memory;

}  // namespace

TEST_CASE("chips are updated side by side, once; nothing is updated in inference") {
  fixture f(schedule::tabulate(schedule::grouped(schedule::setup{3, 0, 12})));
  ipuflow::light_vector<ipu::step> run;
  f.updates.add_to(run);
  REQUIRE(run.size() == 1);
  CHECK(run[0].as<ipu::impl::parallel_of>().steps.size() == 3);
  CHECK(count<ipu::load>(run) == 0);
  fixture used(schedule::tabulate(schedule::grouped(schedule::setup{3, 0, 12, mode::inference})));
  run.clear();
  used.updates.add_to(run);
  CHECK(run.empty());
}

TEST_CASE("weights and gradients that live elsewhere are brought; gradients are cleared there") {
  fixture f(schedule::tabulate(schedule::grouped(schedule::setup{3, 0, 12})), {.weights = away, .accumulators = away});
  ipuflow::light_vector<ipu::step> run;
  f.updates.add_to(run);
  CHECK(count<ipu::load>(run) == 3 * 2 * 2);
  CHECK(count<ipu::store>(run) == 3 * 2);
  chips_abreast clear(f.plan, f.labels);
  f.updates.clear(clear);
  CHECK(count<ipu::store>(clear.take()) == 3 * 2);
  for (const chips_label& l : f.labels.labels) {  // no pass brings them
    if (l.work == chips_work::load || l.work == chips_work::store) CHECK(l.pass == schedule::pass::update);
  }
}

TEST_CASE("the two chips of a stage add up their halves, wherever these have been") {
  const auto crossed = schedule::tabulate(schedule::chimera(schedule::setup{2, 0, 4}));
  for (const kept_in where : {kept_in::tiles, away}) {
    fixture f(crossed, {.accumulators = where});
    ipuflow::light_vector<ipu::step> run;
    f.updates.add_to(run);
    CHECK(count<ipu::copy>(run) == 1);
    CHECK(run.size() == (where == away ? 4 : 3));
    const ipu::step& halves = run[run.size() - 3];  // counted as part of the update, not of the exchange between stages
    REQUIRE(halves.is<ipu::impl::label_of>());
    CHECK(f.labels.labels[halves.as<ipu::impl::label_of>().label].work == chips_work::reduce);
  }
}

}  // namespace updates_test
