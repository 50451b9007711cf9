// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/program_check.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

namespace program_check_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

struct fixture {
  graph g{tiny_chip()};
  variable_id a = g.add_variable<float>("a", 80, linear(80, 8));
  variable_id b = g.add_variable<float>("b", 80, linear(80, 8));
  variable_id halves = g.add_variable<half>("halves", 80, linear(80, 8));
  std::size_t body = g.add_codelet(increment());
  compute_set_id set = g.add_compute_set("work");

  const compute_set& made() const { return g.compute_sets()[set.index]; }
};

}  // namespace

TEST_CASE("operands are as many as the codelet takes, of its types, on the vertex's tile") {
  {
    fixture f;
    f.g.add_vertices(f.set, {f.body, 0, 8, 1, {part(f.a, 0, 10, 10), part(f.b, 0, 10, 10)}});
    CHECK(!verify_operands(f.g, f.made()));
    f.g.add_vertex(f.set, f.body, 2, {whole(f.a)});
    CHECK(said(verify_operands(f.g, f.made())) ==
          "ipuflow: codelet 'increment' takes 2 operands, a vertex on tile 2 is given 1; give one for each span");
  }
  {
    fixture f;
    f.g.add_vertex(f.set, f.body, 2, {whole(f.a), whole(f.halves)});
    CHECK(said(verify_operands(f.g, f.made())) ==
          "ipuflow: operand 1 of codelet 'increment' has another element type than 'halves'; use a codelet of the "
          "variable's type");
  }
}

TEST_CASE("a vertex has only its own tile's memory") {
  const char* sentence =
      "ipuflow: a vertex of 'increment' on tile 2 touches 'a' on tile 3; a tile has only its own memory, so copy the "
      "elements to it first";
  {
    fixture f;
    f.g.add_vertex(f.set, f.body, 2, {part(f.a, 30, 5), part(f.b, 20, 5)});
    CHECK(said(verify_operands(f.g, f.made())) == sentence);
  }
  {
    fixture f;  // begins at home and runs over the border
    f.g.add_vertex(f.set, f.body, 2, {part(f.a, 28, 5), part(f.b, 20, 5)});
    CHECK(said(verify_operands(f.g, f.made())) == sentence);
  }
  {
    fixture f;  // leaves the variable
    f.g.add_vertex(f.set, f.body, 7, {part(f.a, 78, 5), part(f.b, 70, 5)});
    CHECK(verify_operands(f.g, f.made()).kind == program_wrong::foreign_memory);
  }
}

TEST_CASE("what one vertex writes no other vertex of the set touches") {
  {
    fixture f;
    f.g.add_vertex(f.set, f.body, 2, {part(f.a, 20, 5), part(f.b, 20, 5)});
    f.g.add_vertex(f.set, f.body, 2, {part(f.a, 20, 5), part(f.b, 25, 5)});
    CHECK(!verify_disjoint(f.g, f.made()));
    f.g.add_vertex(f.set, f.body, 2, {part(f.a, 20, 2), part(f.b, 28, 2)});
    CHECK(said(verify_disjoint(f.g, f.made())) ==
          "ipuflow: two vertices of compute set 'work' write element 8 of 'b'; let one vertex write it, or use two "
          "compute sets");
  }
  {
    fixture f;
    f.g.add_vertex(f.set, f.body, 2, {part(f.a, 20, 5), part(f.b, 20, 5)});
    f.g.add_vertex(f.set, f.body, 2, {part(f.b, 24, 5), part(f.b, 25, 5)});
    CHECK(
        said(verify_disjoint(f.g, f.made())) ==
        "ipuflow: in compute set 'work' one vertex writes element 4 of 'b' and another reads it; use two compute sets");
  }
}

TEST_CASE("copies stay in their variables and keep the element type") {
  fixture f;
  CHECK(!verify_copy(f.g, copy({{{f.a}, {f.b, 20}, 60}})));
  CHECK(said(verify_copy(f.g, copy({{{f.a}, {f.b, 30}, 60}}))) ==
        "ipuflow: a copy touches element 89 of 'b', which has 80; shorten the copy");
  CHECK(said(verify_copy(f.g, copy({{{f.a, 0, 10}, {f.b, 0, 1}, 1, 9}}))) ==
        "ipuflow: a copy touches element 80 of 'a', which has 80; shorten the copy");
  CHECK(said(verify_copy(f.g, copy({{{f.a}, {f.halves}, 10}}))) ==
        "ipuflow: a copy joins 'a' and 'halves' of different element types; cast before you copy");
}

TEST_CASE("an operand that begins so far off that it wraps around is on no tile") {
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const compute_set_id set = g.add_compute_set("far");
  const auto far = static_cast<std::size_t>(-1);
  g.add_vertex(set, g.add_codelet(increment()), 0, {part(v, far, 2), part(v, 0, 2)});
  CHECK(verify_operands(g, g.compute_sets()[set.index]).kind == program_wrong::foreign_memory);
}

}  // namespace program_check_test
