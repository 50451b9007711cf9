// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/engine.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

namespace costing_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

struct fixture {
  chip_system all = pod(tiny_chip(), 4);
  graph g{tiny_chip(), 2};
  variable_id a = g.add_variable<float>("a", 160, linear(160, 16));
  variable_id b = g.add_variable<float>("b", 160, linear(160, 16));
  stream_id in = g.add_stream({name_from("in"), 1, {}});
  std::size_t body = g.add_codelet(increment());

  /// `n` elements on every tile of a chip: 6 n cycles.
  step work(std::size_t chip, std::size_t n) {
    const compute_set_id set = g.add_compute_set("work");
    g.add_vertices(set, {body, 8 * chip, 8, 1, {part(a, 80 * chip, n, 10), part(b, 80 * chip, n, 10)}});
    return execute(set);
  }
  step shift() { return copy({{{b}, {a, 10}, 70}, {{b, 70}, {a}, 10}}); }  // on chip 0
  profile count(const step& s) { return cost(all, g, s); }
};

constexpr std::uint64_t sync_cycles = mk2.sync.value;
constexpr std::uint64_t exchange_cycles = mk2.exchange_latency.value + 10;

}  // namespace

TEST_CASE("a superstep is sync, exchange, compute") {
  fixture f;
  CHECK(f.count(f.work(0, 10)).total == cycles{sync_cycles + 60});
  CHECK(f.count(sequence(f.shift(), f.work(0, 10))).total == cycles{sync_cycles + exchange_cycles + 60});
  CHECK(f.count(sequence(f.work(0, 10), f.work(0, 10))).total == cycles{2 * sync_cycles + 120});
  const profile p = f.count(sequence(f.shift(), f.work(0, 10), f.shift(), f.work(0, 5)));
  CHECK(p.chips[0][phase::sync] == cycles{2 * sync_cycles});
  CHECK(p.chips[0][phase::exchange] == cycles{2 * exchange_cycles});
  CHECK(p.chips[0][phase::compute] == 90_cycles);
  CHECK(p.chips[0].supersteps == 2);
  CHECK(p.waiting(0) == cycles{});
  CHECK(p.waiting(1) == p.total);
  CHECK(p.tile_busy[3] == 90_cycles);
  CHECK(p.tile_busy[9] == cycles{});
}

TEST_CASE("a repeat multiplies, in a repeat too, and does not walk") {
  fixture f;
  const step body = sequence(f.shift(), f.work(0, 10));
  const profile once = f.count(body);
  const profile many = f.count(repeat(1000, repeat(1'000'000, body)));
  CHECK(many.total == once.total * 1'000'000'000);
  CHECK(many.chips[0].moved.exchanged == once.chips[0].moved.exchanged * 1'000'000'000);
  CHECK(many.tile_busy[5] == once.tile_busy[5] * 1'000'000'000);
  CHECK(f.count(repeat(0, body)).total == cycles{});
  const function_id function = f.g.add_function(body);
  CHECK(f.count(sequence(call(function), call(function))).total == once.total * 2);
}

TEST_CASE("chips side by side take as long as the longest, and the others wait") {
  fixture f;
  const profile p = f.count(repeat(3, parallel({f.work(0, 10), sequence(f.work(1, 4), f.work(1, 4))})));
  const std::uint64_t longest = 2 * (sync_cycles + 24);
  CHECK(p.total == cycles{3 * longest});
  CHECK(p.waiting(0) == cycles{3 * (longest - sync_cycles - 60)});
  CHECK(p.waiting(1) == cycles{});
}

TEST_CASE("input beside compute costs what it is longer") {
  fixture f;
  const step transfer = stream_in(f.in, f.a);
  const cycles host = f.count(transfer).total;
  const step small = f.work(0, 1);
  CHECK(host == host_time(f.all, 640_B));
  const profile longer = f.count(repeat(2, overlap(transfer, small)));
  const cycles compute = f.count(small).total;
  CHECK(longer.total == std::max(host, compute) * 2);
  CHECK(longer.chips[0][phase::host] == (host > compute ? host - compute : cycles{}) * 2);
  CHECK(longer.chips[0][phase::compute] == 12_cycles);
  CHECK(longer.chips[0].moved.host_in == 640);
  const profile hidden = f.count(overlap(transfer, repeat(100, small)));
  CHECK(hidden.total == compute * 100);
  CHECK(hidden.chips[0][phase::host] == cycles{});
}

TEST_CASE("codelets are counted by name, and the profile says how many replicas there are") {
  fixture f;
  const profile p = cost(f.all, f.g, repeat(5, sequence(f.work(0, 10), f.work(1, 2))), {.replicas = 2});
  REQUIRE(p.codelets.size() == 1);
  CHECK(p.codelets[0].vertices == 80);
  CHECK(p.codelets[0].alone == cycles{5 * 8 * (60 + 12)});
  CHECK(p.replicas == 2);
  CHECK(said_by([&] { (void)cost(f.all, f.g, sequence(), {.replicas = 3}); }) ==
        "ipuflow: a program of 3 replicas needs 6 chips but the system has 4; use a larger system or fewer replicas");
  const std::size_t half_of_all = std::size_t{1} << 63;  // two chips each: none, if that were to wrap
  CHECK(verify(f.all, f.g, {.replicas = half_of_all}).kind == costing_wrong::chips);
}

TEST_CASE("a program of other chips than the system has is neither counted nor run") {
  fixture f;
  chip_system other = f.all;
  other.chip.sync = other.chip.sync * 2;
  const step program = f.work(0, 10);
  const std::string sentence =
      "ipuflow: a program is of a graph of other chips than the system has; make graph and system of one architecture";
  CHECK(said_by([&] { (void)cost(other, f.g, program); }) == sentence);
  CHECK(said_by([&] { engine(other, f.g, program); }) == sentence);
  CHECK(said_by([&] { engine(f.all, f.g, program); }) == "nothing");
}

}  // namespace costing_test
