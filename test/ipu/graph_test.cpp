// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/graph.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("what is added is there under its id") {
  graph g(tiny_chip(), 2);
  CHECK(g.tiles() == 16);
  const variable_id a = g.add_variable<float>("a", 20, linear(20, 16));
  const variable_id b = g.add_temporary<half>("b", 20, on_tile(20, 15));
  CHECK(g[a].always_live());
  CHECK_FALSE(g[b].always_live());
  CHECK(g[b].type() == element_type::f16);
  CHECK(g[b].name() == name_from("b"));
  const compute_set_id set = g.add_compute_set("work");
  const std::size_t c = g.add_codelet(increment());
  g.add_vertex(set, c, 3, {part(a, 0, 1), part(a, 1, 1)});
  g.add_vertices(set, {c, 4, 2, 3, {whole(a), whole(a)}});
  REQUIRE(g.compute_sets()[set.index].groups.size() == 2);
  CHECK(g.compute_sets()[set.index].groups[0].tiles == 1);
  CHECK(g.compute_sets()[set.index].groups[1].operands[1].whole);
  CHECK(g.add_function(execute(set)).index == 0);
  CHECK(g.add_stream({name_from("s"), 3, {}}).index == 0);
  CHECK(g.add_remote("r", 5, element_type::f32).index == 0);
  CHECK(g.remotes()[0].elements == 5);
}

TEST_CASE("a mapping that does not fit the chips is refused") {
  graph g(tiny_chip());
  CHECK(said_by([&] { g.add_variable<float>("a", 20, linear(20, 9)); }) ==
        "ipuflow: interval 8 of a mapping is on tile 8 of 8; use tiles below that");
}
