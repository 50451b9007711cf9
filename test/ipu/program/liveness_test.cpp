// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <vector>

namespace liveness_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

struct fixture {
  graph g{tiny_chip()};
  std::size_t body = g.add_codelet(increment());

  variable_id temporary(std::string_view name) { return g.add_temporary<float>(name, 8, linear(8, 8)); }
  /// to = from + 1 in one step.
  step add(variable_id from, variable_id to) {
    const compute_set_id set = g.add_compute_set("s");
    g.add_vertices(set, {body, 0, 8, 1, {part(from, 0, 1, 1), part(to, 0, 1, 1)}});
    return execute(set);
  }
  ipuflow::light_vector<live_range> ranges(const step& program, variable_id v) { return live_ranges(g, program).ranges[v.index]; }
};

using ranges = ipuflow::light_vector<live_range>;

}  // namespace

TEST_CASE("from the write of all to the last read, again after each such write") {
  fixture f;
  const variable_id a = f.temporary("a");
  const variable_id b = f.temporary("b");
  const variable_id c = f.temporary("c");
  const step program = sequence(f.add(a, b), f.add(b, c), f.add(c, a), f.add(a, b), f.add(b, c));
  CHECK(f.ranges(program, b) == ranges{{0, 2}, {3, 5}});
  CHECK(f.ranges(program, c) == ranges{{1, 3}, {4, 5}});
  CHECK(live_ranges(f.g, program).steps == 5);
}

TEST_CASE("a loop keeps what comes from before it or from its turn before") {
  fixture f;
  const variable_id in = f.temporary("in");
  const variable_id carried = f.temporary("carried");
  const variable_id inner = f.temporary("inner");
  const step program = sequence(f.add(in, carried),                                          // 0
                                repeat(3, sequence(f.add(in, inner), f.add(inner, carried),  // 1, 2
                                                   f.add(carried, inner))),                  // 3
                                f.add(carried, in));                                         // 4
  CHECK(f.ranges(program, in).front() == live_range{0, 4});
  CHECK(f.ranges(program, inner) == ranges{{1, 3}, {3, 4}});
  CHECK(f.ranges(program, carried) == ranges{{0, 1}, {2, 5}});
  const variable_id state = f.temporary("state");
  const step loop =
      sequence(f.add(in, state), repeat(2, sequence(f.add(state, inner), f.add(inner, state))), f.add(in, inner));
  CHECK(f.ranges(loop, state) == ranges{{0, 3}});
}

TEST_CASE("a write of a part keeps the rest alive, and a call is where it is called") {
  fixture f;
  const variable_id a = f.temporary("a");
  const variable_id b = f.temporary("b");
  const step program = sequence(f.add(b, a), f.add(a, b), copy({{{b}, {a}, 4}}), f.add(a, b));
  CHECK(f.ranges(program, a) == ranges{{0, 4}});
  const function_id function = f.g.add_function(sequence(f.add(b, a), f.add(a, b)));
  CHECK(f.ranges(sequence(call(function), call(function)), a) == ranges{{0, 2}, {2, 4}});
}

TEST_CASE("values never meet: running with shared memory gives what separate memory gives") {
  // Oracle: a walk of the unrolled program in which every range owns its variable from write to last read.
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    fixture f;
    ipuflow::light_vector<variable_id> v;
    for (int i = 0; i < 4; ++i) v.push_back(f.temporary("v"));
    ipuflow::light_vector<step> body;
    ipuflow::light_vector<std::pair<std::size_t, std::size_t>> moves;  // from, to of each step
    for (std::size_t n = 2 + random() % 5; n > 0; --n) {
      const std::size_t from = random() % 4;
      const std::size_t to = (from + 1 + random() % 3) % 4;
      moves.emplace_back(from, to);
      body.push_back(f.add(v[from], v[to]));
    }
    const program_liveness live = live_ranges(f.g, repeat(3, sequence(body)));
    // Between the write of a value and its last read, in any turn, its variable must be live at every step.
    std::map<std::size_t, std::size_t> written_at;  // variable to unrolled step
    for (std::size_t at = 0; at < 3 * moves.size(); ++at) {
      const auto& [from, to] = moves[at % moves.size()];
      if (written_at.count(from) != 0) {
        for (std::size_t s = written_at[from]; s <= at; ++s) {
          bool is_live = false;
          for (const live_range& r : live.ranges[v[from].index])
            is_live = is_live || (r.begin <= s % moves.size() && s % moves.size() < r.end);
          CHECK(is_live);
        }
      }
      written_at[to] = at;
    }
  }
}

TEST_CASE("a pull writes all of a variable, a push reads it") {
  graph g(tiny_chip());
  const variable_id v = g.add_temporary<float>("v", 16, linear(16, 8));
  const ring_id r = g.add_ring("ring", v, 2);
  const stream_id s = g.add_stream({name_from("s")});
  const step program = sequence(stream_in(s, v), push(v, r), synchronise(), pull(r, v), stream_out(v, s));
  CHECK(live_ranges(g, program).ranges[v.index] == ipuflow::light_vector<live_range>{{0, 2}, {3, 5}});
}

TEST_CASE("a repeat of no turns writes nothing") {
  fixture f;
  const variable_id in = f.temporary("in");
  const variable_id kept = f.temporary("kept");
  const variable_id between = f.temporary("between");
  const step program = sequence(f.add(in, kept), f.add(in, between), repeat(0, repeat(2, f.add(in, kept))), f.add(in, between),
                                f.add(kept, in));
  CHECK(f.ranges(program, kept) == ranges{{0, 5}});
  CHECK(f.ranges(program, between) == ranges{{1, 2}, {3, 4}});
}

TEST_CASE("a copy writes all of a variable if its runs meet each element, however many they are") {
  fixture f;
  const variable_id from = f.g.add_variable<float>("from", 16, linear(16, 8));
  const variable_id to = f.temporary("to");
  const auto after = [&](const copy& moved) { return f.ranges(sequence(f.add(from, to), moved, f.add(to, from)), to); };
  const ranges again{{0, 1}, {1, 3}}, goes_on{{0, 3}};
  CHECK(after({{{.from = {from}, .to = {to}, .length = 8}}}) == again);
  CHECK(after({{{.from = {from}, .to = {to}, .length = 4}, {.from = {from}, .to = {to, 4}, .length = 4}}}) == again);
  CHECK(after({{{.from = {from}, .to = {to}, .length = 4}, {.from = {from}, .to = {to}, .length = 4}}}) == goes_on);
  CHECK(after({{{.from = {from, 0, 1}, .to = {to, 0, 2}, .length = 1, .count = 4, .copies = 2, .copy_step = 1}}}) == again);
  CHECK(after({{{.from = {from, 0, 1}, .to = {to, 0, 2}, .length = 1, .count = 4, .copies = 2, .copy_step = 2}}}) == goes_on);
  CHECK(after({{{.from = {from, 0, 2}, .to = {to, 0, 2}, .length = 4, .count = 3}}}) == again);
  CHECK(after({{{.from = {from, 0, 1}, .to = {to, 0, 1}, .length = 4, .count = 2}}}) == goes_on);
  CHECK(after({{{.from = {from}, .to = {to}, .length = 8, .count = 0}, {.from = {from}, .to = {to}, .length = 4, .count = 2}}}) == goes_on);
}

TEST_CASE("runs of random copies meet all elements, or not") {
  std::mt19937 random(3);
  std::size_t all_met = 0, overlapping = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t elements = 1 + random() % 24, pieces = 1 + random() % 4;
    copy moved;
    std::vector<int> met(elements, 0);
    std::size_t written = 0;
    for (std::size_t i = 0; i < pieces; ++i) {
      const copy_piece p{.to = {variable_id{1}, random() % elements, random() % 5},
                         .length = random() % 9, .count = 1 + random() % 4, .copies = 1 + random() % 3, .copy_step = random() % 13};
      const std::size_t last = p.to.begin + (p.count - 1) * p.to.step + (p.copies - 1) * p.copy_step + p.length;
      if (last > elements) continue;
      moved.pieces.push_back(p);
      written += p.length * p.count * p.copies;
      for (std::size_t c = 0; c < p.copies; ++c) {
        for (std::size_t r = 0; r < p.count; ++r) {
          for (std::size_t k = 0; k < p.length; ++k) ++met[p.to.begin + r * p.to.step + c * p.copy_step + k];
        }
      }
    }
    if (written < elements) continue;
    const bool all = std::all_of(met.begin(), met.end(), [](int m) { return m > 0; });
    CHECK(covers(moved, 1, elements) == all);
    all_met += all && written == elements, overlapping += !all && written == elements;
  }
  CHECK(all_met > 50);
  CHECK(overlapping > 50);
}

}  // namespace liveness_test
