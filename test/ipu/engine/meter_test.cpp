// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/meter.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

namespace meter_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

struct fixture {
  chip_system all = pod(tiny_chip(), 1);
  graph g{tiny_chip()};
  variable_id a = g.add_variable<float>("a", 80, linear(80, 8));
  variable_id b = g.add_variable<float>("b", 80, linear(80, 8));
  compute_set_id set = g.add_compute_set("work");
  step work = execute(set);
  step shift = copy({{{b}, {a, 10}, 70}});

  fixture() {
    const std::size_t body = g.add_codelet(increment());
    g.add_vertices(set, {body, 0, 8, 1, {part(a, 0, 10, 10), part(b, 0, 10, 10)}});
  }
};

}  // namespace

TEST_CASE("a step that runs many times is that many steps") {
  fixture f;
  meter once({f.all, f.g});
  meter many({f.all, f.g});
  bool exchanged = false;
  cycles one;
  for (int i = 0; i < 7; ++i) {
    exchanged = false;
    one = once.leaf(f.work, 1, exchanged);
  }
  exchanged = false;
  CHECK(many.leaf(f.work, 7, exchanged) == one);
  CHECK(many.finish(one * 7) == once.finish(one * 7));
  CHECK(one == mk2.sync + 60_cycles);
}

TEST_CASE("a compute set behind an exchange needs no sync of its own") {
  fixture f;
  meter m({f.all, f.g});
  bool exchanged = false;
  m.leaf(f.shift, 1, exchanged);
  CHECK(exchanged);
  CHECK(m.leaf(f.work, 1, exchanged) == 60_cycles);
  CHECK(!exchanged);
  CHECK(m.chips()[0].supersteps == 1);
}

TEST_CASE("what runs beside something longer is taken out of the account, no more than there was") {
  fixture f;
  meter m({f.all, f.g});
  const ipuflow::light_vector<chip_profile> before = m.chips();
  bool exchanged = false;
  m.leaf(f.shift, 1, exchanged);
  const ipuflow::light_vector<chip_profile> after = m.chips();
  m.hide(before, after, 1'000'000_cycles, 1);
  CHECK(m.chips()[0][phase::exchange] == cycles{});
  CHECK(m.chips()[0][phase::sync] == cycles{});
}

}  // namespace meter_test
