// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/chip_work.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include "chips_stages.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace chip_work_test {

using namespace ipuflow;
using namespace ipuflow::run;
using namespace ipuflow::run::impl;

namespace {

struct fixture {
  schedule::table t = schedule::tabulate(schedule::one_f_one_b(schedule::setup{2, 0, 12}));
  chips_plan plan{t};
  ipu::graph g{chips_stages::few_tiles(), 2};
  chips_options options{};
  label_book labels{};
  ipuflow::light_vector<chips_part> parts = [this] {
    ipuflow::light_vector<plan::lowered> lowered;
    for (const part_plan& p : plan.parts())
      lowered.push_back(chips_stages::product(g, p.stage == 1, lowering_of(p, t, g.chip(), options)));
    return part_wiring(plan, g, std::move(lowered), options).take();
  }();
  chip_work work{plan, g, parts, labels};

  /// The function of each event of a part, each as a step of its own.
  ipuflow::light_vector<ipuflow::maybe<ipu::function_id>> functions(std::size_t part) {
    ipuflow::light_vector<ipuflow::maybe<ipu::function_id>> made;
    for (std::size_t e = 0; e < plan.parts()[part].events.size(); ++e) {
      work.add(part, plan.parts()[part].events[e], e);
      made.push_back(work.take());
    }
    return made;
  }
};

/// Labels of a step and what is in it, in order.
void collect(const ipu::graph& g, const ipu::step& s, ipuflow::light_vector<std::size_t>& found) {
  if (const auto* label = s.get_if<ipu::impl::label_of>()) found.push_back(label->label);
  ipu::for_each_inner(s, [&](const ipu::step& inner) { collect(g, inner, found); });
}

}  // namespace

TEST_CASE("equal work is one function, whatever the micro-batch") {
  fixture f;
  const auto functions = f.functions(0);
  const ipuflow::light_vector<part_event>& events = f.plan.parts()[0].events;
  ipuflow::light_vector<std::size_t> different;
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (!functions[e]) continue;
    bool known = false;
    for (const std::size_t d : different) known = known || d == functions[e]->index;
    if (!known) different.push_back(functions[e]->index);
  }
  CHECK(different.size() <= 6);
  for (std::size_t e = 0; e < events.size(); ++e)
    CHECK((functions[e].has_value() || events[e].what > part_work::recompute));
}

TEST_CASE("what is labelled is noted, in the same order") {
  for (const std::size_t part : {0u, 1u}) {
    fixture f;
    ipuflow::light_vector<std::size_t> times;
    for (const auto& function : f.functions(part)) {
      ipuflow::light_vector<std::size_t> found;
      if (function) collect(f.g, f.g.functions()[function->index], found);
      for (const std::size_t l : found) {
        times.resize(std::max(times.size(), l + 1));
        ++times[l];
      }
    }
    REQUIRE(times.size() == f.labels.labels.size());
    for (std::size_t l = 0; l < times.size(); ++l) CHECK(times[l] == f.labels.order[l].size());
    for (const auto& list : f.labels.order) {
      for (std::size_t i = 1; i < list.size(); ++i) CHECK(list[i] == list[i - 1] + 1);  // 1F1B keeps all in order
    }
  }
}

}  // namespace chip_work_test
