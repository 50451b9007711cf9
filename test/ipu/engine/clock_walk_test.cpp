// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/clock_walk.hpp>

#include <ipuflow/ipu/engine/engine.hpp>

#include "phases_seen.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace clock_walk_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// Two chips whose first two tiles are I/O tiles.
struct fixture {
  chip_system all = pod(tiny_chip(), 2);
  graph g{tiny_chip(), 2};
  std::size_t tiles = g.chip().tiles;
  variable_id a = g.add_variable<float>("a", 60 * 2, map());
  variable_id b = g.add_variable<float>("b", 60 * 2, map());
  variable_id out = g.add_variable<float>("out", 8, linear(8, 2));
  variable_id in = g.add_variable<float>("in", 8, linear(8, 2, tiles));
  std::size_t body = g.add_codelet(increment());
  run_options freely{.kept = clocks::one_a_chip, .io_tiles = 2};

  mapping map() const {
    mapping made = linear(60, 6, 2);
    for (mapped_interval i : linear(60, 6, tiles + 2)) made.push_back({i.begin + 60, i.end + 60, i.tile});
    return made;
  }
  step work(std::size_t chip, std::size_t n) {
    const compute_set_id set = g.add_compute_set("work");
    g.add_vertices(set, {body, tiles * chip + 2, 6, 1, {part(a, 60 * chip, n, 10), part(b, 60 * chip, n, 10)}});
    return call(g.add_function(execute(set)));
  }
  step post() const { return copy({{{b, 0}, {out}, 8}}); }
  step message() const { return copy({{{out}, {in}, 8}}); }
  step take() const { return copy({{{in}, {a, 60}, 8}}); }
  profile counted(const step& s) const { return cost(all, g, s, freely); }
  std::uint64_t time(const step& s) const { return counted(s).total.value; }
};

}  // namespace

TEST_CASE("chips do not wait for each other, whatever order their work is written in") {
  fixture f;
  const step one = sequence(f.work(0, 10), f.work(0, 10));
  const step other = f.work(1, 3);
  const std::uint64_t alone = f.time(one);
  CHECK(f.time(sequence(one, other)) == alone);
  CHECK(f.time(sequence(other, one, other)) == alone);
  CHECK(cost(f.all, f.g, sequence(one, other)).total > f.counted(sequence(one, other)).total);
}

TEST_CASE("phases of labelled steps add up to those that each chip counts, whoever waits for whom") {
  fixture f;
  const step sends = labelled(1, sequence(f.work(0, 10), f.post(), f.message()));
  const step takes = labelled(2, sequence(f.work(1, 3), f.take(), f.work(1, 4)));
  for (const step& s : {sequence(sends, takes), repeat(20, sequence(sends, takes)), labelled(3, repeat(5, sequence(takes, f.work(0, 2))))}) {
    for (run_options o : {f.freely, run_options{.kept = clocks::one_a_chip}, run_options{}}) {
      const profile p = cost(f.all, f.g, s, o);
      CHECK(phases_seen(p) == phases_counted(p));
      CHECK(phases_in_their_place(p, p.activities));
    }
  }
}

TEST_CASE("a chip by itself takes what it takes by one clock") {
  fixture f;
  const step s = sequence(f.work(0, 10), copy({{{f.b, 0}, {f.a, 10}, 30}}), f.work(0, 4), repeat(7, f.work(0, 2)));
  profile free = f.counted(s);
  const profile by_one = cost(f.all, f.g, s);
  CHECK(free == by_one);
}

TEST_CASE("a transfer between tiles that compute waits for both chips; a synchronisation for all") {
  fixture f;
  const step across = copy({{{f.b, 0}, {f.a, 60}, 8}});
  const std::uint64_t first = f.time(f.work(0, 10));
  const std::uint64_t transfer = f.time(across);
  CHECK(f.time(sequence(f.work(0, 10), f.work(1, 2), across)) == first + transfer);
  CHECK(f.time(sequence(f.work(0, 10), f.work(1, 2), across, f.work(1, 2))) == first + transfer + f.time(f.work(1, 2)));
  const step all_of_them = synchronise{};
  CHECK(f.time(sequence(f.work(0, 10), all_of_them, f.work(1, 2))) == first + f.time(all_of_them) + f.time(f.work(1, 2)));
}

TEST_CASE("a message goes by I/O tiles while both chips do something else") {
  fixture f;
  const std::uint64_t work = f.time(f.work(0, 10)), post = f.time(f.post()), message = f.time(f.message()), take = f.time(f.take());
  CHECK(f.time(sequence(f.work(0, 10), f.post(), f.message(), f.take())) == work + post + message + take);
  const step busy = repeat(50, f.work(1, 10));
  const std::uint64_t long_time = f.time(busy);
  REQUIRE(long_time > work + post + message);
  CHECK(f.time(sequence(f.work(0, 10), f.post(), f.message(), busy, f.take())) == long_time + take);
  // The sender goes on at once, but not over what has not left yet.
  CHECK(f.time(sequence(f.post(), f.message(), f.work(0, 10))) == std::max(post + work, post + message));
  CHECK(f.time(sequence(f.post(), f.message(), f.post())) == post + message + post);
  const profile p = f.counted(f.message());
  CHECK(p.chips[0][phase::inter_chip] == cycles{});  // beside everything else
  CHECK(p.chips[0].moved.chip_out == 32);
}

TEST_CASE("loops are multiplied once they repeat in time; running each turn comes to the same") {
  fixture f;
  const step stage = sequence(f.work(0, 4), f.post(), f.message(), f.take(), f.work(1, 9));
  for (const std::size_t turns : {1u, 2u, 3u, 10u, 1000u}) {
    CAPTURE(turns);
    const step loop = labelled(5, repeat(turns, labelled(3, stage)));
    const profile p = f.counted(loop);
    engine run(f.all, f.g, loop, f.freely);
    const profile ran = run.run();
    CHECK(p.activities[0].length == p.total);
    CHECK(ran == p);
    REQUIRE(p.activities.size() == 1);
    std::uint64_t seen = 0;
    for (const activity& group : p.activities[0].inside) seen += group.turns;
    CHECK(seen == turns);
    CHECK(p.activities[0].inside.size() <= 20);
  }
}

TEST_CASE("the host's transfers to I/O tiles are made ahead, those to tiles that compute are waited for") {
  fixture f;
  const stream_id stream = f.g.add_stream({.name = name_from("s"), .prefetch = 1, .host_time = seconds{1e-6}});
  const variable_id io = f.g.add_variable<float>("io", 8, linear(8, 2));
  const step beside = sequence(stream_in(stream, io), copy({{{io}, {f.a, 0}, 8}}), f.work(0, 10));
  const step direct = sequence(stream_in(stream, f.a), f.work(0, 10));
  CHECK(f.counted(repeat(20, beside)).chips[0][phase::host] == cycles{});
  CHECK(f.counted(repeat(20, direct)).chips[0][phase::host] > cycles{});
}

}  // namespace clock_walk_test
