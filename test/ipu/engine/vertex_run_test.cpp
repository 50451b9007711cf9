// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/vertex_run.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <numeric>

namespace vertex_run_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

struct fixture {
  graph g{tiny_chip()};
  variable_id a = g.add_variable<float>("a", 80, linear(80, 8));
  variable_id b = g.add_variable<float>("b", 80, linear(80, 8));
  compute_set_id set = g.add_compute_set("work");

  template <class Body>
  void add(Body body) {
    const codelet made(name_from("body"), 10_B, body, [](const architecture&, lengths) { return vertex_cost{}; });
    ipuflow::light_vector<std::size_t> number(16);
    std::iota(number.begin(), number.end(), std::size_t{0});
    g.add_vertices(set, {g.add_codelet(made), 0, 8, 2, {part(a, 0, 5, 5), part(b, 0, 5, 5)}, number});
  }
  ipuflow::light_vector<float> run(bool checked) {
    const memory_layout layout = lay_out(g, execute(set));
    tile_store store(g, layout, checked);
    ipuflow::light_vector<float> values(80, 1.0f);
    store.write(a.index, std::as_bytes(std::span{values}));
    for (const placed_vertex& v : placed_vertices(g, g.compute_sets()[set.index], layout)) {
      if (checked)
        run_checked(g, store, v);
      else
        run_vertex(g, store, v);
    }
    store.read(b.index, std::as_writable_bytes(std::span{values}));
    return values;
  }
};

}  // namespace

TEST_CASE("each vertex runs on its own part with its own field, checked or not") {
  fixture f;
  f.add([](std::size_t number, std::span<const float> in, std::span<float> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] + static_cast<float>(number);
  });
  for (const bool checked : {false, true}) {
    const ipuflow::light_vector<float> out = f.run(checked);
    for (std::size_t i = 0; i < 80; ++i) CHECK(out[i] == 1.0f + static_cast<float>(i / 5));
  }
}

TEST_CASE("a checked run stops at a codelet that leaves its spans") {
  const char* sentence =
      "ipuflow: codelet 'body' on tile 0 changes memory outside its operand 1 or one that it only reads; keep to the "
      "spans that it is given";
  fixture past;
  past.add([](std::span<const float>, std::span<float> out) { out.data()[out.size()] = 1; });
  CHECK(said_by([&] { past.run(true); }) == sentence);
  fixture before;
  before.add([](std::span<const float>, std::span<float> out) { *(out.data() - 1) = 1; });
  CHECK(said_by([&] { before.run(true); }) == sentence);
  fixture input;
  input.add([](std::span<const float> in, std::span<float>) { const_cast<float&>(in[0]) = 7; });
  CHECK(said_by([&] { input.run(true); }).find("outside its operand 0 or one that it only reads") != std::string::npos);
}

TEST_CASE("a checked run stops at a read of what was never written") {
  fixture f;
  const codelet reads(
      name_from("reads"), 10_B, [](inout<float>) {}, [](const architecture&, lengths) { return vertex_cost{}; });
  f.g.add_vertex(f.set, f.g.add_codelet(reads), 4, {whole(f.b)});
  CHECK(said_by([&] { f.run(true); }).find("'reads' on tile 4 reads element 0 of what it holds of 'b'") !=
        std::string::npos);
  CHECK_NOTHROW(f.run(false));
}

}  // namespace vertex_run_test
