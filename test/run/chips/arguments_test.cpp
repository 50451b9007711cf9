// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/arguments.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/schedule.hpp>

#include "chips_stages.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>

namespace chips_arguments_test {

using namespace ipuflow;
using namespace ipuflow::run::impl;

namespace {

/// Two chips with two stages each. Those of the second chip and one of the first read the same two numbers, for three samples.
struct fixture {
  schedule::table timetable = schedule::tabulate(schedule::looped_bfs(schedule::setup{2, 2, 4, mode::inference}));
  chips_plan plan{timetable};
  ipu::architecture chip = chips_stages::few_tiles();
  ipu::graph g{chip, 2};
  ipuflow::light_vector<run::impl::chips_part> parts = ipuflow::light_vector<run::impl::chips_part>(4);
  ipuflow::light_vector<ipu::variable_id> values;
  label_book labels;

  fixture() {
    for (const std::size_t part : {0u, 1u, 3u}) {
      values.push_back(g.add_variable<float>("gain", 6, ipu::linear(6, 3, plan.parts()[part].chip * chip.tiles)));
      parts[part].with.arguments.push_back({.number = 2, .elements = 2, .value = values.back()});
    }
  }
};

}  // namespace

TEST_CASE("the host sends an argument to one chip, that one to the other, and both spread it over samples") {
  fixture f;
  const chips_arguments all{f.plan, f.g, f.parts, {}};
  REQUIRE(all.streams().size() == 1);
  CHECK(all.streams()[0].number == 2);
  const ipu::step program = all.bring(f.labels);
  const ipu::chip_system system = ipu::pod(f.chip, 2);
  ipu::engine e(system, f.g, program, {.checked = true});
  e.feed(all.streams()[0].stream, std::span<const float>{ipuflow::light_vector{1.5f, -2.0f}});
  const ipu::profile ran = e.run();
  for (const ipu::variable_id v : f.values) CHECK(e.read<float>(v) == ipuflow::light_vector{1.5f, -2.0f, 1.5f, -2.0f, 1.5f, -2.0f});
  CHECK(ran.chips[0].moved.host_in + ran.chips[1].moved.host_in == 2 * sizeof(float));
  CHECK(ran.chips[0].moved.chip_in + ran.chips[1].moved.chip_in == 2 * sizeof(float));
}

TEST_CASE("without a host, or without arguments, there is nothing to do") {
  fixture f;
  const chips_arguments none{f.plan, f.g, f.parts, {.synthetic = true}};
  CHECK(none.streams().empty());
  CHECK(none.bring(f.labels).empty());
  const ipuflow::light_vector<run::impl::chips_part> plain(4);
  CHECK(chips_arguments{f.plan, f.g, plain, {}}.bring(f.labels).empty());
}

}  // namespace chips_arguments_test
