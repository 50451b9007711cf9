// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/code_size.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

namespace code_size_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE(
    "a codelet's code stands once on each tile that runs it, state once for each vertex, exchange code where words "
    "pass") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 80, linear(80, 8));
  const variable_id b = g.add_variable<float>("b", 80, linear(80, 8));
  const compute_set_id first = g.add_compute_set("first");
  const compute_set_id second = g.add_compute_set("second");
  g.add_vertices(first, {g.add_codelet(increment()), 0, 4, 2, {part(a, 0, 5, 5), part(b, 0, 5, 5)}});
  g.add_vertices(second, {g.add_codelet(increment()), 2, 4, 1, {part(a, 20, 5, 10), part(b, 20, 5, 10)}});
  memory_report report;
  report.tiles.resize(8);
  code_walk walk(g, report);
  walk(sequence(execute(first), repeat(9, execute(second)), copy({{{a}, {b, 75}, 5}})));
  walk.finish();
  CHECK(report.tiles[2][memory_category::vertex_code] == 64);
  CHECK(report.tiles[5][memory_category::vertex_code] == 64);
  CHECK(report.tiles[6][memory_category::vertex_code] == 0);
  CHECK(report.tiles[0][memory_category::vertex_state] == 2 * 20);
  CHECK(report.tiles[2][memory_category::vertex_state] == 3 * 20);
  CHECK(report.tiles[6][memory_category::stack] == 0);
  CHECK(report.tiles[0][memory_category::exchange_code] == code_of_phase + 4);
  CHECK(report.tiles[7][memory_category::exchange_code] == code_of_phase + 8);
  CHECK(report.tiles[1][memory_category::control_code] == 4 * control_code_of_step);
}

TEST_CASE("each tile of a ring has its counters and lists once, however often it is pushed and pulled") {
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 4));
  const ring_id r = g.add_ring("ring", v, 3, 2);
  const auto state = [&](std::size_t tile) {
    memory_report report;
    report.tiles.resize(8);
    code_walk walk(g, report);
    walk(sequence(push(v, r), repeat(5, sequence(push(v, r), pull(r, v))), pull(r, v, 1)));
    walk.finish();
    return report.tiles[tile][memory_category::vertex_state];
  };
  CHECK(state(0) == 3 * place_in_ring);
  CHECK(state(5) == 0);
  g.set_order(r, {0, 1, 2}, {{2, 1, 0}, {0, 1, 2}});
  CHECK(state(3) == 3 * place_in_ring + 9 * 2);
}

TEST_CASE("tiles have the control code of steps in which their chip takes part, of a function once") {
  graph g(tiny_chip(), 3);
  const variable_id a = g.add_variable<float>("a", 80, linear(80, 8));
  const variable_id b = g.add_variable<float>("b", 80, linear(80, 8, 8));
  const auto work = [&](std::size_t chip, variable_id v) {
    const compute_set_id set = g.add_compute_set("work");
    g.add_vertices(set, {g.add_codelet(increment()), 8 * chip, 8, 1, {part(v, 0, 5, 10), part(v, 5, 5, 10)}});
    return execute(set);
  };
  const function_id both = g.add_function(parallel({work(0, a), sequence(work(1, b), work(1, b))}));
  memory_report report;
  report.tiles.resize(24);
  code_walk walk(g, report);
  walk(sequence(call(both), repeat(4, sequence(call(both), copy({{{a}, {b}, 80}}))), work(0, a), synchronise()));
  walk.finish();
  const auto control = [&](std::size_t tile) { return report.tiles[tile][memory_category::control_code]; };
  // Two calls; the repeat, the copy, the sync; and of the chips' own one and one more, or two.
  for (const std::size_t tile : {0u, 7u, 8u, 15u}) CHECK(control(tile) == 2 * control_code_of_call + (3 + 2) * control_code_of_step);
  for (const std::size_t tile : {16u, 23u}) CHECK(control(tile) == control_code_of_step);
}

TEST_CASE("what operations put on tiles is all that is there, and stands with the first that has it") {
  graph g(tiny_chip(), 2);
  const variable_id a = g.add_variable<float>("a", 80, linear(80, 8));
  const variable_id b = g.add_variable<float>("b", 80, linear(80, 8));
  const ring_id r = g.add_ring("ring", a, 3);
  const auto work = [&](std::size_t first, std::size_t tiles) {
    const compute_set_id set = g.add_compute_set("work");
    g.add_vertices(set, {g.add_codelet(increment()), first, tiles, 1, {part(a, 10 * first, 5, 10), part(a, 10 * first + 5, 5, 10)}});
    return execute(set);
  };
  const step narrow = g.operation("narrow", work(2, 3));                                       // 1
  const step wide = g.operation("wide", sequence(work(0, 6), g.operation("deep", work(7, 1))));  // 3, 2
  const function_id moves = g.add_function(g.operation("moves", sequence(copy({{{a}, {b, 75}, 5}}), push(a, r))));  // 4
  const step caller = g.operation("caller", sequence(call(moves), work(0, 8)));                // 5
  const step unused = g.operation("unused", work(0, 8));                                       // 6
  memory_report report;
  report.tiles.resize(16);
  code_walk walk(g, report);
  walk(sequence(narrow, wide, repeat(3, caller), call(moves), work(0, 8), copy({{{b}, {a, 75}, 5}})));
  walk.finish();
  for (const auto c : {memory_category::vertex_code, memory_category::vertex_state, memory_category::exchange_code, memory_category::control_code}) {
    CHECK(report.total(c) > 0);
    CHECK(report.of_operation(0, c) == report.total(c));
  }
  const auto own = [&](std::size_t o, memory_category c) { return report.operations[o].by_category[static_cast<std::size_t>(c)]; };
  CHECK(report.operations[3].name.view() == "wide");
  CHECK(report.operations[2].within == 3);
  CHECK(report.operations[4].within == 5);
  // Six tiles of which three have the codelet already; what the last call and the last set need is there, or in none.
  CHECK(own(1, memory_category::vertex_code) == 3 * 64);
  CHECK(own(3, memory_category::vertex_code) == 3 * 64);
  CHECK(report.operations[3].code_used == 7 * 64);
  CHECK(own(5, memory_category::vertex_code) == 64);
  CHECK(report.operations[5].code_used == 8 * 64);
  CHECK(own(0, memory_category::vertex_code) == 0);
  CHECK(own(0, memory_category::vertex_state) == 8 * 20);
  CHECK(own(4, memory_category::vertex_state) == 8 * 2 * place_in_ring);
  // The function is called in two places and stands in one.
  CHECK(own(4, memory_category::exchange_code) == own(0, memory_category::exchange_code));
  CHECK(own(4, memory_category::control_code) == 2 * 8 * control_code_of_step);
  CHECK(own(5, memory_category::control_code) == 8 * (control_code_of_call + control_code_of_step));
  CHECK(report.of_operation(6, memory_category::vertex_state) == 0);
  CHECK(report.operations[6].code_used == 0);
}

}  // namespace code_size_test
