// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/exchange.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include "chips_stages.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace exchange_test {

using namespace ipuflow;
using namespace ipuflow::run;
using namespace ipuflow::run::impl;

namespace {

struct fixture {
  schedule::table t =
      schedule::tabulate(schedule::grouped(schedule::devices(0, schedule::on_ipus(1, 2), 3), micro_batches<12>));
  chips_plan plan{t};
  ipu::graph g{chips_stages::few_tiles(), 4};
  chips_options options{};
  ipuflow::light_vector<chips_part> parts = [this] {
    ipuflow::light_vector<plan::lowered> lowered;
    for (const part_plan& p : plan.parts()) {
      const plan::lowering_options o = lowering_of(p, t, g.chip(), options);
      lowered.push_back(p.stage == 2 ? chips_stages::adder(g, 2, o) : chips_stages::product(g, false, o));
    }
    return part_wiring(plan, g, std::move(lowered), options).take();
  }();
  chips_exchange exchange{plan, g, parts};
};

bool brings(const ipu::copy& s, ipu::variable_id from, ipu::variable_id to) {
  return std::any_of(s.pieces.begin(), s.pieces.end(), [&](const ipu::copy_piece& p) {
    return p.from.variable.index == from.index && p.to.variable.index == to.index && p.length == chips_stages::width;
  });
}

}  // namespace

TEST_CASE("values go to all branches, those of all branches to the next stage") {
  fixture f;
  const auto s =
      f.exchange.copy({{1, part_work::arrival, 0}, {2, part_work::arrival, 0}, {3, part_work::arrival, 0}});
  CHECK(s.pieces.size() == 4);
  const auto arrives = [&](std::size_t part, std::size_t entry) {
    const ipu::variable_id place = f.parts[part].with.entry[entry];
    for (const plan::carried& c : f.parts[part].arriving.what) {
      if (c.read.index == place.index) return c.made;
    }
    return place;
  };
  CHECK(brings(s, f.parts[0].with.exit[0], arrives(1, 0)));
  CHECK(brings(s, f.parts[0].with.exit[0], arrives(2, 0)));
  CHECK(brings(s, f.parts[1].with.exit[0], arrives(3, 0)));
  CHECK(brings(s, f.parts[2].with.exit[0], arrives(3, 1)));
}

TEST_CASE("gradients of several branches arrive apart and are added; of one branch they just arrive") {
  fixture f;
  const ipuflow::light_vector<arrival> back{{0, part_work::return_, 0}};
  const auto s = f.exchange.copy(back);
  REQUIRE(s.pieces.size() == 2);
  CHECK(s.pieces[0].to.variable.index != s.pieces[1].to.variable.index);
  const auto sums = f.exchange.sums(back);
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].first == 0);
  const ipuflow::light_vector<arrival> to_branches{{1, part_work::return_, 0}, {2, part_work::return_, 0}};
  CHECK(f.exchange.copy(to_branches).pieces.size() == 2);
  CHECK(f.exchange.sums(to_branches).empty());
}

}  // namespace exchange_test
