// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/leaf_needs.hpp>

#include <ipuflow/ipu/engine/meter.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace leaf_needs_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// Of each of six chips in two machines the first two tiles are I/O tiles.
struct fixture {
  static constexpr std::size_t chips = 6;

  chip_system all = pod(tiny_chip(), chips);
  graph g{tiny_chip(), chips};
  std::vector<variable_id> io;
  stream_id stream = g.add_stream({.name = name_from("s")});
  remote_id home = g.add_remote("home", 8, element_type::f32);
  link_times links{all};

  fixture() {
    all.order = chip_order::zigzag;
    for (std::size_t c = 0; c < chips; ++c) io.push_back(g.add_variable<float>("io", 8, linear(8, 2, c * g.chip().tiles)));
  }
  leaf_needs of(const step& s) const {
    meter m({all, g, 1});
    return needs_of(all, g, s, m.cost_of(s), box_times{g, lay_out(g, s), 2}, links);
  }
};

}  // namespace

TEST_CASE("chips of a machine share the port of its host, and each has its part of streaming memory") {
  const fixture f;
  const auto port = [&](const step& s) {
    const leaf_needs n = f.of(s);
    CHECK(n.boxes.alone());
    CHECK(n.link_time > 0);
    REQUIRE(n.links.size() == 1);
    return n.links[0];
  };
  CHECK(port(stream_in(f.stream, f.io[0])) == port(stream_out(f.io[3], f.stream)));
  CHECK(port(stream_in(f.stream, f.io[0])) != port(stream_in(f.stream, f.io[4])));
  CHECK(port(load(f.home, f.io[0])) == port(store(f.io[0], f.home)));
  CHECK(port(load(f.home, f.io[0])) != port(load(f.home, f.io[1])));
  CHECK(port(load(f.home, f.io[0])) != port(stream_in(f.stream, f.io[0])));
  CHECK(f.of(load(f.home, f.io[0])).of == phase::streaming);
  CHECK(f.of(stream_in(f.stream, f.io[0])).of == phase::host);
}

TEST_CASE("a copy between chips takes the links on its way, behind a sync; one within a chip takes none") {
  const fixture f;
  const leaf_needs far = f.of(copy({{{f.io[0]}, {f.io[2]}, 8}}));
  CHECK(far.together);
  CHECK(far.links.size() == 1);
  CHECK(far.link_wait == before_transfers(f.all).value);
  const leaf_needs here = f.of(copy({{{f.io[0], 0}, {f.io[0], 4}, 4}}));
  CHECK(!here.together);
  CHECK(here.links.empty());
}

TEST_CASE("places that share memory, and what a load finds in streaming memory, are waited for") {
  fixture f;
  const variable_id a = f.g.add_temporary<float>("a", 8, linear(8, 2)), b = f.g.add_temporary<float>("b", 8, linear(8, 2));
  const variable_id elsewhere = f.g.add_variable<float>("elsewhere", 8, linear(8, 2, 2));
  const remote_id other = f.g.add_remote("other", 8, element_type::f32);
  const step load_a = load(f.home, a), take_a = copy({{{a}, {elsewhere}, 8}}), load_b = load(other, b), take_b = copy({{{b}, {elsewhere}, 8}});
  const step program = sequence(load_a, take_a, load_b, take_b);
  box_times times{f.g, lay_out(f.g, program), 2};
  times.use(times.uses_of(load_a), 100, phase::streaming);
  times.use(times.uses_of(take_a), 150);
  CHECK(times.ready(times.uses_of(load_b)).at == 150);  // never live together: one place for both
  times.use(times.uses_of(store(f.io[0], other)), 300, phase::streaming);
  const box_ready ready = times.ready(times.uses_of(load_b));
  CHECK(ready.at == 300);
  CHECK(ready.after == phase::streaming);
}

}  // namespace leaf_needs_test
