// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/timed_walk.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/engine.hpp>

#include "phases_seen.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace timed_walk_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

struct fixture {
  chip_system all = pod(tiny_chip(), 2);
  graph g{tiny_chip(), 2};
  variable_id a = g.add_variable<float>("a", 160, linear(160, 16));
  variable_id b = g.add_variable<float>("b", 160, linear(160, 16));
  std::size_t body = g.add_codelet(increment());

  step work(std::size_t chip, std::size_t n) {
    const compute_set_id set = g.add_compute_set("work");
    g.add_vertices(set, {body, 8 * chip, 8, 1, {part(a, 80 * chip, n, 10), part(b, 80 * chip, n, 10)}});
    return call(g.add_function(execute(set)));
  }
  ipuflow::light_vector<activity> seen(const step& s) { return cost(all, g, s).activities; }

  /// A random program on a chip, or on both.
  step any(std::mt19937& random, int depth, int chip) {
    const std::size_t kind = depth == 0 ? 0 : random() % (chip < 0 ? 5 : 4);
    step made;
    if (kind <= 1) made = work(chip < 0 ? random() % 2 : static_cast<std::size_t>(chip), 1 + random() % 9);
    if (kind == 2) made = sequence(any(random, depth - 1, chip), any(random, depth - 1, chip));
    if (kind == 3) made = repeat(random() % 4, any(random, depth - 1, chip));
    if (kind == 4) made = parallel({any(random, depth - 1, 0), any(random, depth - 1, 1)});
    if (random() % 3 == 0) made = call(g.add_function(std::move(made)));
    return random() % 2 == 0 ? labelled(random() % 5, std::move(made)) : made;
  }
};

using single = std::tuple<std::uint64_t, std::uint64_t, std::size_t>;  // start, length, label

void spread(const ipuflow::light_vector<activity>& all, std::uint64_t from, ipuflow::light_vector<single>& into) {
  for (const activity& a : all) {
    for (std::uint64_t turn = 0; turn < a.turns; ++turn) {
      const std::uint64_t start = from + a.begin.value + turn * a.length.value;
      if (a.label != no_label) into.emplace_back(start, a.length.value, a.label);
      spread(a.inside, start, into);
    }
  }
}

ipuflow::light_vector<single> spread(const ipuflow::light_vector<activity>& all) {
  ipuflow::light_vector<single> made;
  spread(all, 0, made);
  std::sort(made.begin(), made.end());
  return made;
}

/// The same program without loops.
step unrolled(const graph& g, const step& s) {
  if (const auto* called = s.get_if<call>()) {
    const step& function = g.functions()[called->function.index];
    return function.is<execute>() ? s : unrolled(g, function);
  }
  if (const auto* loop = s.get_if<repeat_of>()) {
    step made;
    for (std::size_t turn = 0; turn < loop->count; ++turn) made.then(unrolled(g, sequence(loop->steps)));
    return made;
  }
  step made = s;
  for_each_inner(made, [&](step& inner) { inner = unrolled(g, inner); });
  return made.is<sequence_of>() ? sequence(made) : made;
}

bool within(const activity& a) {
  return std::all_of(a.inside.begin(), a.inside.end(),
                     [&](const activity& i) { return i.begin + i.length * i.turns <= a.length && within(i); });
}

}  // namespace

TEST_CASE(
    "random programs: both engines note the same, a loop what its turns would, and nothing leaves what is around") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    fixture f;
    const step program = f.any(random, 5, -1);
    const profile counted = cost(f.all, f.g, program);
    engine runs(f.all, f.g, program);
    CHECK(runs.run() == counted);
    CHECK(spread(counted.activities) == spread(f.seen(unrolled(f.g, program))));
    for (const activity& a : counted.activities) CHECK(within(a));
  }
}

TEST_CASE("labels say when: one after the other, side by side, in loops, at every call") {
  fixture f;
  const step one = f.work(0, 1);
  const std::uint64_t w = mk2.sync.value + 6;
  const step twice = sequence(labelled(1, one), one, labelled(2, one));
  CHECK(spread(f.seen(twice)) == ipuflow::light_vector<single>{{0, w, 1}, {2 * w, w, 2}});
  const function_id shared = f.g.add_function(labelled(3, one));
  CHECK(spread(f.seen(sequence(call(shared), call(shared)))) == ipuflow::light_vector<single>{{0, w, 3}, {w, w, 3}});
  const ipuflow::light_vector<activity> beside = f.seen(parallel({labelled(4, one), labelled(5, f.work(1, 2))}));
  CHECK(spread(beside) == ipuflow::light_vector<single>{{0, w, 4}, {0, w + 6, 5}});
  const ipuflow::light_vector<activity> loop = f.seen(repeat(1'000'000'000, labelled(6, one)));
  REQUIRE(loop.size() == 1);
  CHECK(loop[0] == activity{no_label, {}, {w}, 1'000'000'000, {{6, {}, {w}, 1, {}, 1}}});
}

TEST_CASE("phases of labelled steps add up to those that the chips count, in loops and at calls, and follow each other") {
  std::mt19937 random(4);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    fixture f;
    const step program = labelled(9, f.any(random, 5, -1));
    const profile counted = cost(f.all, f.g, program);
    CHECK(phases_seen(counted) == phases_counted(counted));
    CHECK(phases_in_their_place(counted, counted.activities));
  }
}

TEST_CASE("a superstep is a sync, an exchange and a compute set, with the codelet and what its tiles do; a billion are kept once") {
  fixture f;
  const step shift = copy({{{f.b}, {f.a, 10}, 70}});
  const profile p = cost(f.all, f.g, repeat(1'000'000'000, labelled(1, sequence(shift, f.work(0, 3)))));
  REQUIRE(p.phases.size() == 2);
  CHECK(p.phases[0].empty());
  const ipuflow::light_vector<phase_run>& runs = p.phases[p.activities[0].inside[0].phases];
  REQUIRE(runs.size() == 4);
  CHECK(runs[0] == phase_run{0, phase::sync, {}, mk2.sync});
  CHECK(runs[1].what == phase::exchange);
  CHECK(runs[1].begin == mk2.sync);
  CHECK(runs[2].what == phase::sync);
  CHECK(p.codelets[runs[3].codelet].name == f.g.codelets()[f.body].name());
  CHECK(runs[3].tile_busy == runs[3].length * 8);
  CHECK(runs[3].begin + runs[3].length == p.activities[0].inside[0].length);
}

TEST_CASE("what has no label and nothing labelled in it leaves nothing behind") {
  fixture f;
  CHECK(f.seen(repeat(3, sequence(f.work(0, 1), parallel({f.work(0, 1), f.work(1, 1)})))).empty());
  CHECK(f.seen(repeat(0, labelled(1, f.work(0, 1)))).empty());
}

}  // namespace timed_walk_test
