// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/memory.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/engine.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <random>

namespace memory_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("638,976 bytes a tile fit; one word more on one tile is refused with that tile's number") {
  const std::size_t words = mk2.tile_memory.value / 4;
  const auto program_with = [&](std::size_t extra_on) {
    graph g(mk2);
    mapping map;
    std::size_t at = 0;
    for (std::size_t t = 0; t < mk2.tiles; ++t) {
      const std::size_t here = words + (t == extra_on ? 1 : 0);
      map.push_back({at, at + here, t});
      at += here;
    }
    g.add_variable<float>("all of it", at, map);
    return g;
  };
  const graph fits = program_with(mk2.tiles);
  const step nothing = sequence();
  CHECK(!verify(fits, lay_out(fits, nothing)));
  CHECK(cost(pod(mk2, 1), fits, nothing).memory.total() == memory_of(mk2).value);
  for (const std::size_t tile : {std::size_t{0}, std::size_t{815}, std::size_t{1471}}) {
    const graph over = program_with(tile);
    const auto found = verify(over, lay_out(over, nothing));
    CHECK(found.kind == memory_wrong::out_of_memory);
    CHECK(found.where.tile == tile);
    CHECK(found.got == 638'980);
    CHECK(found.limit == 638'976);
    CHECK_THROWS_AS((void)cost(pod(mk2, 1), over, nothing), error);
    CHECK(cost(pod(mk2, 1), over, nothing, {.allow_out_of_memory = true}).memory.fullest == tile);
  }
}

TEST_CASE("the same with a program: code and state count, one word decides, and it may run past on request") {
  const architecture chip = tiny_chip();
  const auto made_with = [&](std::size_t words) {
    graph g(chip);
    const variable_id a = g.add_variable<float>("a", 8 * 8, linear(8 * 8, 8));
    const variable_id b = g.add_variable<float>("b", 7 * 8 + words,
                                                {{0, 8, 0},
                                                 {8, 16, 1},
                                                 {16, 24, 2},
                                                 {24, 24 + words, 3},
                                                 {24 + words, 32 + words, 4},
                                                 {32 + words, 40 + words, 5},
                                                 {40 + words, 48 + words, 6},
                                                 {48 + words, 56 + words, 7}});
    const compute_set_id set = g.add_compute_set("s");
    const std::size_t c = g.add_codelet(increment());
    for (std::size_t t = 0; t < 8; ++t) g.add_vertex(set, c, t, {part(a, 8 * t, 8), part(b, g[b].map()[t].begin, 8)});
    return std::pair{std::move(g), step{execute(set)}};
  };
  std::size_t words = 8;
  for (; words < 4096; ++words) {
    const auto [g, program] = made_with(words);
    if (verify(g, lay_out(g, program))) break;
  }
  // code 64, state 20, control 8, stack 7 * 128, a 32, b, and 4 to align
  CHECK(words - 1 == (4096 - 64 - 20 - 8 - 896 - 32 - 4) / 4);
  const auto [fits, program] = made_with(words - 1);
  engine runs(pod(chip, 1), fits, program);
  runs.write(variable_id{0}, ipuflow::light_vector<float>(64, 1.0f));
  runs.run();
  CHECK(runs.read<float>(variable_id{1})[24] == 2.0f);
  const auto [over, same] = made_with(words);
  CHECK(said_by([&, &g = over, &p = same] { engine(pod(chip, 1), g, p); }).find("tile 3 of chip 0 is out of memory") !=
        std::string::npos);
  engine past(pod(chip, 1), over, same, {.allow_out_of_memory = true});
  past.write(variable_id{0}, ipuflow::light_vector<float>(64, 1.0f));
  const profile p = past.run();
  CHECK(past.read<float>(variable_id{1})[24] == 2.0f);
  CHECK(p.memory.tiles[3].total() > chip.tile_memory.value);
}

TEST_CASE("temporaries that follow each other share memory; a function's code stands once") {
  graph g(tiny_chip());
  const std::size_t c = g.add_codelet(increment());
  ipuflow::light_vector<variable_id> v{g.add_variable<float>("in", 800, linear(800, 8))};
  for (int i = 0; i < 3; ++i) v.push_back(g.add_temporary<float>("t", 800, linear(800, 8)));
  ipuflow::light_vector<step> steps;
  for (std::size_t i = 0; i + 1 < v.size(); ++i) {
    const compute_set_id set = g.add_compute_set("s");
    g.add_vertices(set, {c, 0, 8, 1, {part(v[i], 0, 100, 100), part(v[i + 1], 0, 100, 100)}});
    steps.push_back(execute(set));
  }
  const memory_layout once = lay_out(g, sequence(steps));
  CHECK(once.report.tiles[2][memory_category::not_always_live] == 800);  // two of three at a time
  CHECK(once.report.live_by_step == ipuflow::light_vector<std::uint64_t>{3200, 6400, 6400});
  std::uint64_t by_variable = 0;  // steps in which they are live, times their bytes, are the sum over steps
  for (const variable_memory& m : once.report.variables) by_variable += m.size * m.live_steps;
  CHECK(by_variable == 3200 + 6400 + 6400);
  CHECK(once.report.variables[1].first_step == 0);
  CHECK(once.report.variables[1].end_step == 2);
  CHECK(once.report.variables[3].first_step == 2);
  CHECK(once.report.variables[3].end_step == 3);
  CHECK(once.report.variables[0].live_steps == 0);  // always
  CHECK(once.report.tiles[2][memory_category::vertex_code] == 64);
  const function_id f = g.add_function(sequence(steps));
  const memory_layout called = lay_out(g, sequence(call(f), call(f), call(f)));
  CHECK(called.report.tiles[2][memory_category::vertex_state] == once.report.tiles[2][memory_category::vertex_state]);
  CHECK(called.report.tiles[2][memory_category::control_code] ==
        once.report.tiles[2][memory_category::control_code] + 3 * control_code_of_call);
}

TEST_CASE("code must fit its region") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 8, linear(8, 8));
  const codelet large(
      name_from("large"), 2100_B, [](inout<float>) {}, [](const architecture&, lengths) { return vertex_cost{}; });
  const compute_set_id set = g.add_compute_set("s");
  g.add_vertex(set, g.add_codelet(large), 6, {part(a, 6, 1)});
  const auto found = verify(g, lay_out(g, execute(set)));
  CHECK(found.kind == memory_wrong::code_region);
  CHECK(found.where.tile == 6);
}

TEST_CASE("the report names what is used, once for each chip that has a part of it") {
  graph g(tiny_chip(), 2);
  const variable_id both = g.add_variable<float>("both", 32, linear(32, 16));
  const variable_id used = g.add_temporary<float>("used", 8, linear(8, 8, 8));
  g.add_temporary<float>("unused", 8, linear(8, 8));
  const memory_report report = lay_out(g, copy({{{both, 16}, {used}, 8}})).report;
  const ipuflow::light_vector<variable_memory> expected{
      {name_from("both"), 0, 64, true}, {name_from("both"), 1, 64, true}, {name_from("used"), 1, 32, false, 0, 1, 1}};
  CHECK(report.variables == expected);
}

TEST_CASE("ranges of random programs are in order and do not meet") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    graph g(tiny_chip());
    ipuflow::light_vector<variable_id> v;
    for (int i = 0; i < 4; ++i) v.push_back(g.add_temporary<float>("v", 8, linear(8, 8)));
    const auto any = [&](const auto& self, int depth) -> step {
      const std::size_t kind = depth == 0 ? 0 : random() % 3;
      if (kind == 0) return copy({{{v[random() % 4]}, {v[random() % 4]}, random() % 2 == 0 ? 8u : 4u}});
      if (kind == 1) return repeat(1 + random() % 3, self(self, depth - 1));
      return sequence(self(self, depth - 1), self(self, depth - 1), self(self, depth - 1));
    };
    const program_liveness live = live_ranges(g, any(any, 4));
    for (const variable_id id : v) {
      const ipuflow::light_vector<live_range>& r = live.ranges[id.index];
      for (std::size_t i = 1; i < r.size(); ++i) CHECK(r[i - 1].end <= r[i].begin);
    }
  }
}

TEST_CASE("bytes that a report does not count are told, and not the rest of them counted") {
  graph g(tiny_chip());
  const std::size_t gigabyte = std::size_t{1} << 28;  // of floats
  const auto told = [](std::size_t got) {
    return "ipuflow: tile 3 of chip 0 is given " + std::to_string(got) + " bytes, more than the 4294967040 that are counted of a tile; spread variables over more tiles";
  };
  const variable_id first = g.add_temporary<float>("first", 2 * gigabyte, on_tile(2 * gigabyte, 3));
  const variable_id second = g.add_temporary<float>("second", 2 * gigabyte, on_tile(2 * gigabyte, 3));
  const auto all_of = [&](variable_id from, variable_id to) { return copy({{.from = {from}, .to = {to}, .length = 2 * gigabyte}}); };
  CHECK(said_by([&] { (void)verify(g, all_of(first, second)); }) == told((std::size_t{1} << 32) + 16));  // behind code
  CHECK(said(verify(g, sequence(all_of(first, first)))).find("out of memory: it needs 2147483") != std::string::npos);
  (void)g.add_variable<float>("large", 4 * gigabyte + 16, on_tile(4 * gigabyte + 16, 3));
  CHECK(said_by([&] { (void)verify(g, sequence()); }) == told(16 * gigabyte + 64));
  (void)g.add_variable<float>("larger", gigabyte << 34, on_tile(gigabyte << 34, 2));
  CHECK(said_by([&] { (void)cost(pod(tiny_chip(), 1), g, sequence(), {.allow_out_of_memory = true}); }).find("more than the 4294967040") != std::string::npos);
}

}  // namespace memory_test
