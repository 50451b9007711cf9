// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/step_cost.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

namespace step_cost_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("compute ends with the slowest tile of each chip") {
  graph g(tiny_chip(), 2);
  const variable_id a = g.add_variable<float>("a", 160, linear(160, 16));
  const variable_id b = g.add_variable<float>("b", 160, linear(160, 16));
  const std::size_t c = g.add_codelet(increment());
  const compute_set_id set = g.add_compute_set("s");
  g.add_vertex(set, c, 0, {part(a, 0, 5), part(b, 0, 5)});
  g.add_vertex(set, c, 3, {part(a, 30, 10), part(b, 30, 10)});
  g.add_vertices(
      set, {c, 7, 2, 1, {part(a, 70, 3, 10), part(b, 70, 3, 10)}});  // the last tile of one chip, the first of the next
  const chip_system all = pod(tiny_chip(), 2);
  const leaf_cost cost = cost_of_leaf({all, g, 1}, execute(set));
  CHECK(cost.elapsed == 60_cycles);
  REQUIRE(cost.chips.size() == 2);
  CHECK(cost.chips[0].second[phase::compute] == 60_cycles);
  CHECK(cost.chips[0].second.tile_busy == cycles{30 + 60 + 18});
  CHECK(cost.chips[0].second.tile_issued == 18_cycles);
  CHECK(cost.chips[1].second[phase::compute] == 18_cycles);
  CHECK(cost.chips[1].second.vertices == 1);
  REQUIRE(cost.codelets.size() == 1);  // of three groups
  CHECK(cost.codelets[0].vertices == 4);
}

TEST_CASE("host, streaming memory and collectives take bytes by rate") {
  const architecture chip = mk2;
  graph g(chip);
  const variable_id v = g.add_variable<float>("v", 1'000'000, linear(1'000'000, chip.tiles));
  const variable_id shard = g.add_variable<float>("shard", 250'000, linear(250'000, chip.tiles));
  const stream_id ready = g.add_stream({name_from("ready"), 3, seconds{1e-3}});
  const stream_id late = g.add_stream({name_from("late"), 0, seconds{1e-3}});
  const remote_id remote = g.add_remote("remote", 1'000'000, element_type::f32);
  const chip_system all = pod(chip, 4);
  const auto elapsed = [&](const step& s, std::size_t replicas) { return cost_of_leaf({all, g, replicas}, s).elapsed; };
  CHECK(elapsed(stream_in(ready, v), 1) == host_time(all, 4'000'000_B));
  CHECK(elapsed(stream_in(ready, v), 4) == host_time(all, 4'000'000_B, 4));
  CHECK(elapsed(stream_out(v, late), 1) == host_time(all, 4'000'000_B));  // what is waited for is not part of the step
  CHECK(elapsed(load(remote, v), 1) == chip.sync + streaming_time(all, 4'000'000_B));
  CHECK(elapsed(store(v, remote), 4) == chip.sync + streaming_time(all, 4'000'000_B, 4));
  CHECK(elapsed(all_reduce(v), 1) == cycles{});
  const cycles whole_ring = elapsed(all_reduce(v), 4) - chip.global_sync;
  const cycles half_ring = elapsed(reduce_scatter(v, shard), 4) - chip.global_sync;
  CHECK(whole_ring.value == doctest::Approx(2.0 * static_cast<double>(half_ring.value)).epsilon(0.001));
  CHECK(elapsed(all_gather(shard, v), 4) == elapsed(reduce_scatter(v, shard), 4));
  CHECK(static_cast<double>(whole_ring.value) ==
        doctest::Approx((1.5 * 4e6 / 64e9 + 6 * (3e-6 + 15e-9)) * chip.clock.value).epsilon(0.001));
  CHECK(elapsed(all_reduce(v, 4'000'000_B), 4) == ring_time(all, 8'000'000_B, 4, 1, 2) - ring_time(all, 4'000'000_B, 4, 1, 2));
  CHECK(elapsed(all_gather(shard, v, 4'000'000_B), 4) == elapsed(reduce_scatter(v, shard, 4'000'000_B), 4));
  CHECK(elapsed(synchronise(), 1) == chip.global_sync);
}

TEST_CASE("bytes are counted where they pass") {
  graph g(tiny_chip(), 2);
  const variable_id a = g.add_variable<float>("a", 100, on_tile(100, 0));
  const variable_id far = g.add_variable<float>("far", 100, on_tile(100, 9));
  const stream_id s = g.add_stream({name_from("s"), 1, {}});
  const chip_system all = pod(tiny_chip(), 2);
  const leaf_cost moved = cost_of_leaf({all, g, 1}, copy({{{a}, {far}, 100}}));
  REQUIRE(moved.chips.size() == 2);
  CHECK(moved.chips[0].second.moved.chip_out == 400);
  CHECK(moved.chips[1].second.moved.chip_in == 400);
  CHECK(moved.chips[0].second[phase::inter_chip] == moved.chips[1].second[phase::inter_chip]);
  CHECK(cost_of_leaf({all, g, 1}, stream_in(s, far)).chips[0].second.moved.host_in == 400);
  CHECK(cost_of_leaf({all, g, 1}, stream_out(far, s)).chips[0].second.moved.host_out == 400);
}

}  // namespace step_cost_test
