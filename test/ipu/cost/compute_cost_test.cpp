// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/compute_cost.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <random>

namespace compute_cost_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("ranges of tiles say what each tile would say alone") {
  std::mt19937 random(9);
  const graph g(mk2);
  for (int trial = 0; trial < 200; ++trial) {
    ipuflow::light_vector<costed_group> groups;
    for (std::size_t n = random() % 12; n > 0; --n) {
      const std::size_t first = random() % 40;
      groups.push_back({0,
                        first,
                        1 + random() % 20,
                        1 + random() % 9,
                        {.bundles = random() % 50, .supervisor = random() % 9, .all_workers = random() % 2 == 0}});
    }
    ipuflow::light_vector<bool> seen(64, false);
    for (const tile_range& r : tile_costs(g, groups)) {
      for (std::size_t t = r.first; t < r.first + r.count; ++t) {
        CHECK_FALSE(seen[t]);
        seen[t] = true;
        tile_load load(mk2);
        for (const costed_group& c : groups) {
          for (std::size_t v = 0; t >= c.first && t < c.first + c.count && v < c.per_tile; ++v) load.add(c.cost);
        }
        CHECK(r.busy <= load.busy() + cycles{6 * 50});  // the order in which workers get vertices differs
        CHECK(r.issued == load.issued());
      }
    }
    for (std::size_t t = 0; t < 64; ++t) {
      bool has = false;
      for (const costed_group& c : groups) has = has || (t >= c.first && t < c.first + c.count);
      CHECK(seen[t] == has);
    }
  }
}

TEST_CASE("operands that are whole cost what each tile holds") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 20, linear(20, 8));  // 3 on four tiles, 2 on four
  const compute_set_id set = g.add_compute_set("s");
  g.add_vertices(set, {g.add_codelet(increment()), 0, 8, 1, {whole(a), whole(a)}});
  const auto groups = costed(g, g.compute_sets()[set.index]);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].count == 4);
  CHECK(groups[0].cost.bundles == 3);
  CHECK(groups[1].cost.bundles == 2);
  const auto tiles = tile_costs(g, groups);
  REQUIRE(tiles.size() == 2);
  CHECK(tiles[0].busy == 18_cycles);
  CHECK(tiles[1].first == 4);
  CHECK(tiles[1].flops == 2);
}

TEST_CASE("a cost that depends on fields is each vertex's own; equal ones on tiles side by side are one group") {
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 16, linear(16, 8));
  const codelet code(
      name_from("work"), bytes{8}, [](std::size_t, inout<float>) {},
      [](const architecture&, lengths n, std::size_t turns) { return vertex_cost{.bundles = n[0] * turns}; });
  const auto costs = [&](std::size_t per_tile, const ipuflow::light_vector<std::size_t>& turns) {
    const compute_set_id set = g.add_compute_set("s");
    g.add_vertices(set, {g.add_codelet(code), 0, 8, per_tile, {whole(a)}, turns});
    return costed(g, g.compute_sets()[set.index]);
  };
  const auto one = costs(1, {5, 5, 5, 7, 7, 5, 5, 5});
  REQUIRE(one.size() == 3);
  CHECK(one[1].first == 3);
  CHECK(one[1].count == 2);
  CHECK(one[1].cost.bundles == 14);
  const auto two = costs(2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  REQUIRE(two.size() == 16);
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(two[i].first == i / 2);
    CHECK(two[i].per_tile == 1);
    CHECK(two[i].cost.bundles == 2 * (i + 1));
  }
}

}  // namespace compute_cost_test
