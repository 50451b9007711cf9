// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/tile_store.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace tile_store_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a variable comes back as it went in, and lies in the tiles that its mapping names") {
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 63, grid(7, 9, 2, 3));
  const variable_id w = g.add_variable<float>("w", 63, linear(63, 8));
  const memory_layout layout = lay_out(g, sequence());
  tile_store store(g, layout, false);
  std::vector<float> values(63);
  for (std::size_t i = 0; i < 63; ++i) values[i] = static_cast<float>(i);
  store.write(v.index, std::as_bytes(std::span{values}));
  store.write(w.index, std::as_bytes(std::span{values}));
  std::vector<float> back(63);
  store.read(v.index, std::as_writable_bytes(std::span{back}));
  CHECK(back == values);
  for (std::size_t e = 0; e < 63; ++e) {
    CHECK(*reinterpret_cast<float*>(store.data(v.index, g[v].at(e, 1))) == values[e]);
    CHECK(*reinterpret_cast<float*>(store.data(w.index, g[w].at(e, 1))) == values[e]);
  }
}

TEST_CASE("a checked store knows what was never written") {
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 8, on_tile(8, 1));
  const memory_layout layout = lay_out(g, sequence());
  tile_store store(g, layout, true);
  store.mark(v.index, {1, 0, 3});
  store.mark(v.index, {1, 4, 4});
  CHECK(store.first_unwritten(v.index, {1, 0, 8}) == 3);
  CHECK(store.first_unwritten(v.index, {1, 4, 4}) == 8);
  CHECK(said_by([&] { store.check_written(name_from("reader"), v.index, {1, 2, 4}); }) ==
        "ipuflow: 'reader' on tile 1 reads element 3 of what it holds of 'v', which was never written; fill the "
        "variable first");
}

TEST_CASE("a copy within a tile takes along what is known of its elements") {
  graph g(tiny_chip());
  const variable_id from = g.add_variable<float>("from", 8, on_tile(8, 1));
  const variable_id to = g.add_variable<float>("to", 8, on_tile(8, 1));
  const memory_layout layout = lay_out(g, sequence());
  tile_store store(g, layout, true);
  std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  store.write(to.index, std::as_bytes(std::span{values}));
  store.mark(from.index, {1, 2, 3});
  const float nine = 9;
  std::memcpy(store.data(from.index, {1, 3, 1}), &nine, sizeof nine);
  store.copy_within(from.index, {1, 2, 4}, to.index, {1, 0, 4});
  store.read(to.index, std::as_writable_bytes(std::span{values}));
  CHECK(values[1] == 9);
  CHECK(values[4] == 5);
  CHECK(store.first_unwritten(to.index, {1, 0, 8}) == 3);  // the fourth was not written where it came from
  CHECK(store.first_unwritten(to.index, {1, 4, 4}) == 8);
}

}  // namespace tile_store_test
