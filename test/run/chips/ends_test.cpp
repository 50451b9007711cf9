// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/ends.hpp>

#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

#include "chips_stages.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace ends_test {

using namespace ipuflow;
using namespace ipuflow::run;
using namespace ipuflow::run::impl;

namespace {

struct fixture {
  schedule::table t = schedule::tabulate(schedule::inference(schedule::setup{2, 0, 12}));
  chips_plan plan{t};
  ipu::graph g{chips_stages::few_tiles(), 2};
  chips_options options;
  label_book labels{};
  ipuflow::light_vector<chips_part> parts = [this] {
    ipuflow::light_vector<plan::lowered> lowered;
    for (const part_plan& p : plan.parts())
      lowered.push_back(chips_stages::product(g, p.stage == 1, lowering_of(p, t, g.chip(), options)));
    return part_wiring(plan, g, std::move(lowered), options).take();
  }();
  chips_ends ends{plan, g, parts, labels, options};

  explicit fixture(const chips_options& o) : options{o} {}
};

}  // namespace

TEST_CASE("results go out after the micro-batches after which the host's outputs come back") {
  for (const feed::output_mode mode : {feed::output_mode::automatic, feed::output_mode::all, feed::output_mode::final,
                                       feed::output_mode::every_n, feed::output_mode::sum}) {
    fixture f({.outputs = mode, .period = 4});
    const feed::outputs asked{mode, 4};
    const feed::batch_sizes step{.device_iterations = 12, .run_for = ipuflow::mode::inference};
    for (std::size_t m = 0; m < 12; ++m) {
      CHECK(!f.ends.sends(0, m));
      if (mode != feed::output_mode::sum) CHECK(f.ends.sends(1, m) == feed::returned_after(asked, step, m));
    }
    CHECK(f.ends.outputs().size() == 1);
    CHECK(f.ends.sums().size() == (mode == feed::output_mode::sum ? 1 : 0));
  }
}

TEST_CASE("with I/O tiles transfers touch those only, and copies lie between them and the rest") {
  fixture f({.outputs = feed::output_mode::all, .io_tiles = 4});
  const auto all_on_io_tiles = [&](ipu::variable_id v) {
    for (const auto& [tile, held] : f.g[v].tiles()) {
      if (tile % f.g.chip().tiles >= 4) return false;
    }
    return true;
  };
  ipuflow::light_vector<ipu::step> steps;
  f.ends.feed({{0, 0}}, steps);
  f.ends.send({{1, 0}}, steps);
  REQUIRE(steps.size() == 2);
  ipu::for_each_inner(steps[0], [&](const ipu::step& s) { CHECK(all_on_io_tiles(s.as<ipu::stream_in>().variable)); });
  ipu::for_each_inner(steps[1], [&](const ipu::step& s) { CHECK(all_on_io_tiles(s.as<ipu::stream_out>().variable)); });
  CHECK(all_on_io_tiles(f.ends.copy_in({{0, 0}}).pieces[0].from.variable));
  CHECK(!all_on_io_tiles(f.ends.copy_in({{0, 0}}).pieces[0].to.variable));
  CHECK(all_on_io_tiles(f.ends.copy_out({{1, 0}}).pieces[0].to.variable));
}

}  // namespace ends_test
