// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/tile_copies.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace tile_copies_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("copies move what they would move between plain arrays, within a variable too") {
  std::mt19937 random(4);
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 64, linear(64, 8));
  const variable_id b = g.add_variable<float>("b", 64, grid(8, 8, 2, 4));
  const memory_layout layout = lay_out(g, sequence());
  for (int trial = 0; trial < 100; ++trial) {
    tile_store store(g, layout, true);
    std::vector<float> plain[2] = {std::vector<float>(64), std::vector<float>(64)};
    for (std::vector<float>& p : plain) std::iota(p.begin(), p.end(), static_cast<float>(random() % 1000));
    store.write(a.index, std::as_bytes(std::span{plain[0]}));
    store.write(b.index, std::as_bytes(std::span{plain[1]}));
    const std::size_t length = 1 + random() % 40;
    const copy_piece p{{random() % 2 == 0 ? a : b, random() % (64 - length)},
                       {random() % 2 == 0 ? a : b, random() % (64 - length)},
                       length};
    const auto s = copy({p});
    tile_copies copies(g, layout, true);
    copies.run(s, store);
    const std::vector<float> before = plain[p.from.variable.index];
    for (std::size_t i = 0; i < length; ++i) plain[p.to.variable.index][p.to.begin + i] = before[p.from.begin + i];
    for (const variable_id v : {a, b}) {
      std::vector<float> now(64);
      store.read(v.index, std::as_writable_bytes(std::span{now}));
      CHECK(now == plain[v.index]);
    }
  }
}

TEST_CASE("a checked copy of what was never written is an error") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 64, linear(64, 8));
  const variable_id b = g.add_variable<float>("b", 64, linear(64, 4));
  const memory_layout layout = lay_out(g, sequence());
  tile_store store(g, layout, true);
  const auto s = copy({{{a}, {b}, 64}});
  tile_copies copies(g, layout, true);
  CHECK(said_by([&] { copies.run(s, store); }).find("which was never written") != std::string::npos);
}

}  // namespace tile_copies_test
