// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/program_walk.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

namespace program_walk_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("chips of a step are those of its tiles") {
  graph g(tiny_chip(), 4);
  const variable_id a = g.add_variable<float>("a", 320, linear(320, 32));
  const variable_id b = g.add_variable<float>("b", 10, on_tile(10, 17));
  const compute_set_id set = g.add_compute_set("s");
  g.add_vertices(set, {g.add_codelet(increment()), 7, 2, 1, {part(a, 70, 5, 10), part(a, 75, 5, 10)}});
  CHECK(chips_of(g, execute(set)) == ipuflow::flat_set<std::size_t>{0, 1});
  CHECK(chips_of(g, copy({{{b}, {b, 5}, 5}})) == ipuflow::flat_set<std::size_t>{2});
  const function_id f = g.add_function(repeat(3, execute(set)));
  CHECK(chips_of(g, sequence(call(f), copy({{{b}, {b, 5}, 5}}))) == ipuflow::flat_set<std::size_t>{0, 1, 2});
}

TEST_CASE("every step of a program is checked, functions and loops too") {
  graph g(tiny_chip(), 2);
  const variable_id a = g.add_variable<float>("a", 10, on_tile(10, 0));
  const variable_id b = g.add_variable<float>("b", 10, on_tile(10, 8));
  const variable_id large = g.add_variable<float>("large", 30, on_tile(30, 0));
  const step bad = copy({{{a, 5}, {a}, 6}});
  const function_id f = g.add_function(repeat(2, bad));
  CHECK(verify_program(g, call(f)).kind == program_wrong::copy_range);
  const compute_set_id set = g.add_compute_set("s");
  g.add_vertex(set, g.add_codelet(increment()), 1, {whole(a), part(a, 0, 1)});
  CHECK(verify_program(g, sequence(execute(set))).kind == program_wrong::foreign_memory);
  const step on_a = copy({{{a}, {a, 5}, 5}});
  const step on_b = copy({{{b}, {b, 5}, 5}});
  CHECK(!verify_program(g, parallel({on_a, on_b})));
  CHECK(said(verify_program(g, parallel({on_a, on_b, on_a}))) ==
        "ipuflow: two steps that run in parallel both use chip 0; put them in sequence, or on different chips");
  CHECK(!verify_program(g, all_gather(a, large), 3));
  CHECK(said(verify_program(g, all_gather(a, large), 2)) ==
        "ipuflow: the parts of 'a' on all replicas have 20 elements but 'large' has 30; make them equal");
  CHECK(verify_program(g, reduce_scatter(large, a), 4).kind == program_wrong::sharding);
}

}  // namespace program_walk_test
