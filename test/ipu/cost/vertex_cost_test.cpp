// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/vertex_cost.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace vertex_cost_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

static_assert(divided_up(0, 4) == 0 && divided_up(8, 4) == 2 && divided_up(9, 4) == 3);
static_assert(least_common_multiple(4, 6) == 12 && least_common_multiple(1, 7) == 7 && least_common_multiple(8, 8) == 8 &&
              least_common_multiple(4, 0) == 0 && least_common_multiple(9, 16) == 144);

TEST_CASE("equal vertices: six times the bundles for every six of them, or part of six") {
  for (std::size_t count = 0; count < 40; ++count) {
    for (const std::size_t bundles : {std::size_t{1}, std::size_t{100}}) {
      tile_load load(mk2);
      for (std::size_t v = 0; v < count; ++v) load.add({.bundles = bundles});
      CHECK(load.busy() == cycles{6 * bundles * ((count + 5) / 6)});
      CHECK(load.issued() == cycles{bundles * count});
    }
  }
}

TEST_CASE("unequal vertices: no better than the mean, no worse than list scheduling's bound") {
  std::size_t seed = 7;
  for (int trial = 0; trial < 200; ++trial) {
    tile_load load(mk2);
    std::size_t sum = 0;
    std::size_t most = 0;
    for (std::size_t v = 0; v < 1 + seed % 30; ++v) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const std::size_t bundles = (seed >> 40) % 500;
      load.add({.bundles = bundles});
      sum += bundles;
      most = bundles > most ? bundles : most;
    }
    CHECK(load.busy() >= cycles{6 * std::size_t{(sum + 5) / 6}});
    CHECK(load.busy() <= cycles{sum + 6 * most});
  }
}

TEST_CASE("a supervised vertex has the tile for itself") {
  tile_load load(mk2);
  load.add({.bundles = 10, .supervisor = 11, .all_workers = true});
  load.add({.bundles = 10, .supervisor = 11, .all_workers = true});
  CHECK(load.busy() == cycles{142});
  CHECK(load.issued() == cycles{120});
  CHECK(alone({.bundles = 10, .supervisor = 11, .all_workers = true}, mk2) == cycles{71});
  load.add({.bundles = 5});
  CHECK(load.busy() == cycles{172});
}

TEST_CASE("a loop takes a bundle for each load, store and branch, and for what waits") {
  CHECK(loop_turn{.loads = 5, .arithmetic_after_loads = 3, .stores = 1}.bundles() == 10);
  CHECK(loop_turn{.loads = 2, .arithmetic_after_loads = 1, .stores = 1, .branch = false}.bundles() == 4);
}

}  // namespace vertex_cost_test
