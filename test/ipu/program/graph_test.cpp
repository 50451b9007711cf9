// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/graph.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

namespace graph_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

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

TEST_CASE("a chip of whose figures one is zero that programs are divided by has no graph") {
  const auto made = [](auto&& change) {
    architecture chip = tiny_chip();
    chip.name = fixed_string<15>{std::string_view{"mine"}};
    change(chip);
    return said_by([&] { graph{chip}; });
  };
  CHECK(made([](architecture&) {}) == "nothing");
  CHECK(made([](architecture& c) { c.workers = 0; }) == "ipuflow: a tile of architecture 'mine' has no workers; give it at least one");
  CHECK(made([](architecture& c) { c.tiles_per_bus = 0; }) ==
        "ipuflow: the 8 tiles of architecture 'mine' do not share buses of 0; make tiles a multiple of tiles_per_bus");
  for (const auto width : {&architecture::exchange_width, &architecture::load_width, &architecture::store_width, &architecture::copy_width,
                           &architecture::weight_load_width}) {
    CHECK(made([&](architecture& c) { c.*width = 0; }) ==
          "ipuflow: a width of architecture 'mine' is zero; exchange, load, store, copy and weights each need bytes a cycle");
  }
  for (const auto array : {&architecture::half_half, &architecture::half_float, &architecture::float_float}) {
    CHECK(made([&](architecture& c) { (c.*array).core = 0; }) ==
          "ipuflow: an array of architecture 'mine' does nothing; give units, channels and core cycles for each precision");
  }
}

TEST_CASE("vertices whose codelet reads fields have them, each its own") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 20, linear(20, 8));
  const compute_set_id set = g.add_compute_set("work");
  const std::size_t c = g.add_codelet({name_from("shift"), 8_B, [](float by, inout<float> x) { x[0] += by; },
                                       [](const architecture&, lengths) { return vertex_cost{}; }});
  const auto add = [&](const ipuflow::light_vector<float>& by) { g.add_vertices(set, {c, 0, 2, 3, {whole(a)}, by}); };
  CHECK(said_by([&] { add({1, 2, 3, 4, 5, 6}); }) == "nothing");
  CHECK(said_by([&] { add({1, 2, 3, 4, 5}); }) ==
        "ipuflow: vertices of codelet 'shift' have 20 bytes of fields but need 24; give each vertex one value of the type "
        "that the codelet reads");
  CHECK(g.compute_sets()[set.index].groups.size() == 1);
}

TEST_CASE("a mapping that does not fit the chips is refused") {
  graph g(tiny_chip());
  CHECK(said_by([&] { g.add_variable<float>("a", 20, linear(20, 9)); }) ==
        "ipuflow: interval 8 of a mapping is on tile 8 of 8; use tiles below that");
}

TEST_CASE("a ring has a slot after slot for each push, or those of its list, again and again") {
  graph g(tiny_chip());
  const variable_id v = g.add_temporary<half>("v", 24, grid(4, 6, 2, 3));
  const ring_id on = g.add_ring("on", v, 5, 2);
  const ring_id off = g.add_ring_off_chip("off", v, 5);
  CHECK(g[g.rings()[on.index].slots].always_live());
  CHECK(g[g.rings()[on.index].slots].elements() == 5 * 24);
  CHECK(g[g.rings()[on.index].slots].map() == g[v].map());
  CHECK(g.rings()[on.index].pulls.size() == 2);
  CHECK(g.remotes()[g.rings()[off.index].buffer.index].elements == 5 * 24);
  for (std::size_t n = 0; n < 12; ++n) CHECK(g.rings()[on.index].slot_pushed(n) == n % 5);
  g.set_order(on, {4, 0, 1}, {{1, 0, 4}, {}});
  for (std::size_t n = 0; n < 9; ++n)
    CHECK(g.rings()[on.index].slot_pushed(n) == ipuflow::light_vector<std::size_t>{4, 0, 1}[n % 3]);
  g.set_order(on, {}, {{}, {}});
  g.begin_again(on, 7, {3, 7});
  for (std::size_t n = 0; n < 21; ++n) {
    CHECK(g.rings()[on.index].slot_pushed(n) == n % 7 % 5);
    CHECK(g.rings()[on.index].slot_pulled(0, n) == n % 3);
    CHECK(g.rings()[on.index].slot_pulled(1, n) == n % 7 % 5);
  }
  CHECK(g.rings()[on.index].listed() == 0);
}

TEST_CASE("a variable that is kept while it is used is a temporary") {
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  g.keep_while_used(v);
  CHECK(!g[v].always_live());
}

TEST_CASE("a graph knows one thing of each type, empty at first; a copy finds out its own") {
  graph g(tiny_chip());
  CHECK(g.known<ipuflow::light_vector<int>>().empty());
  g.known<ipuflow::light_vector<int>>().push_back(7);
  g.known<ipuflow::light_vector<long>>().push_back(8);
  CHECK(g.known<ipuflow::light_vector<int>>() == ipuflow::light_vector<int>{7});
  CHECK(g.known<ipuflow::light_vector<long>>() == ipuflow::light_vector<long>{8});
  graph copy = g;
  CHECK(copy.known<ipuflow::light_vector<int>>().empty());
  copy.known<ipuflow::light_vector<int>>().push_back(9);
  CHECK(g.known<ipuflow::light_vector<int>>() == ipuflow::light_vector<int>{7});
  const graph moved = std::move(copy);
  graph assigned(tiny_chip());
  assigned.known<ipuflow::light_vector<int>>().push_back(1);
  assigned = g;
  CHECK(assigned.known<ipuflow::light_vector<int>>().empty());
}

TEST_CASE("vertices stand on tiles that there are, and are given fields of the type that is read") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 16, linear(16, 8));
  const compute_set_id set = g.add_compute_set("work");
  const std::size_t plain = g.add_codelet(increment());
  const auto on = [&](std::size_t tile, std::size_t tiles) {
    return said_by([&] { g.add_vertices(set, {plain, tile, tiles, 1, {part(a, 0, 0), whole(a)}}); });
  };
  CHECK(on(0, 8) == "nothing");
  CHECK(on(1, 8) == "ipuflow: vertices of codelet 'increment' are on tile 8 of 8; use tiles below that");
  CHECK(on(99, 1) == "ipuflow: vertices of codelet 'increment' are on tile 99 of 8; use tiles below that");
  CHECK(on(7, static_cast<std::size_t>(-1)) != "nothing");
  CHECK(on(99, 0) == "nothing");  // none
  const std::size_t shift = g.add_codelet({name_from("shift"), 8_B, [](float by, inout<float> x) { x[0] += by; },
                                           [](const architecture&, lengths) { return vertex_cost{}; }});
  CHECK(said_by([&] { g.add_vertices(set, {shift, 0, 4, 1, {part(a, 0, 1, 2)}, ipuflow::light_vector<double>{1, 2}}); }) ==
        "ipuflow: a vertex of codelet 'shift' is given a field of 8 bytes, but the codelet reads one of 4; give values of its type");
}

}  // namespace graph_test
