// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/box_times.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace box_times_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// Two of the tiles of each chip are I/O tiles.
struct fixture {
  graph g{tiny_chip(), 2};
  variable_id here = g.add_variable<float>("here", 16, linear(16, 2));
  variable_id there = g.add_variable<float>("there", 16, linear(16, 2, g.chip().tiles));
  variable_id elsewhere = g.add_variable<float>("elsewhere", 16, linear(16, 4, 2));
  ring_id ring = g.add_ring("ring", there, 2);
  box_times times{g, lay_out(g, step{}), 2};

  static step moved(variable_id from, variable_id to) { return copy({{{from}, {to}, 16}}); }
};

}  // namespace

TEST_CASE("a step of I/O tiles alone is one that uses no other tile") {
  fixture f;
  CHECK(f.times.uses_of(f.moved(f.here, f.there)).alone());
  CHECK(!f.times.uses_of(f.moved(f.elsewhere, f.here)).alone());
  CHECK(!f.times.uses_of(synchronise{}).alone());
  CHECK(!box_times{f.g, lay_out(f.g, step{}), 0}.uses_of(f.moved(f.here, f.there)).alone());
  CHECK(f.times.uses_of(push(f.there, f.ring)).pushed == f.ring.index);
  CHECK(f.times.uses_of(pull(f.ring, f.there)).pulled == f.ring.index);
}

TEST_CASE("a place is read when it is filled, and filled again when it has been read") {
  fixture f;
  const box_uses fills = f.times.uses_of(f.moved(f.elsewhere, f.here));
  const box_uses passes_on = f.times.uses_of(f.moved(f.here, f.there));
  CHECK(f.times.ready(fills).at == 0);
  f.times.use(fills, 100);
  CHECK(f.times.ready(passes_on).at == 100);
  f.times.use(passes_on, 130);
  CHECK(f.times.ready(fills).at == 130);
  f.times.use(fills, 200);
  CHECK(f.times.ready(passes_on).at == 200);
  CHECK(f.times.ready(f.times.uses_of(f.moved(f.there, f.elsewhere))).at == 130);
}

TEST_CASE("slots of a ring are filled in turn, each when it has been read") {
  fixture f;
  const box_uses in = f.times.uses_of(push(f.there, f.ring));
  const box_uses out = f.times.uses_of(pull(f.ring, f.there));
  f.times.use(in, 10);
  f.times.use(in, 20);
  CHECK(f.times.ready(in).at == 10);  // not yet read: what is pushed there next must not come before
  f.times.use(out, 50);
  CHECK(f.times.ready(in).at == 50);
}

TEST_CASE("turns that are skipped leave the same times in the same order, that much later") {
  fixture f;
  const box_uses in = f.times.uses_of(push(f.there, f.ring));
  const box_uses out = f.times.uses_of(pull(f.ring, f.there));
  const auto turn = [&](std::uint64_t at) {
    f.times.use(in, at);
    f.times.use(out, at + 5);
  };
  const auto all = [&] {
    ipuflow::light_vector<std::uint64_t> made;
    f.times.each_time([&](std::uint64_t t) { made.push_back(t); });
    return made;
  };
  turn(100);
  turn(110);
  const auto before = f.times.counts();
  turn(120);
  CHECK(f.times.goes_on(before));
  ipuflow::light_vector<std::uint64_t> later = all();
  for (std::uint64_t& t : later) t += t > 0 ? 70 : 0;
  f.times.skip(before, 7, later);
  CHECK(all() == later);
  const auto counts = f.times.counts();
  CHECK(counts[0] == 10);
  CHECK(counts[1] == 10);
}

}  // namespace box_times_test
