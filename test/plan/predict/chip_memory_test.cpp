// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/chip_memory.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace chip_memory_test {

using namespace ipuflow;
using plan::memory_use;
using plan::ring_of_stage;

namespace {

/// Three tiles of 100, 200 and 150 bytes, and two stages: one with a stash, one with a queue on the last tile alone.
plan::counted_chip two_stages() {
  plan::counted_chip made;
  made.stages.resize(2);
  made.stages[0][ring_of_stage::stash] = {.depth = 2, .slot = {10, 1, 0}};
  made.stages[1][ring_of_stage::arriving] = {.depth = 1, .slot = {0, 0, 30}};
  made.tiles.resize(3);
  for (std::size_t t = 0; t < 3; ++t) made.tiles[t][memory_use::weights] = t == 0 ? 80u : t == 1 ? 198u : 120u;
  made.tiles[0][memory_use::stash] = 20, made.tiles[1][memory_use::stash] = 2, made.tiles[2][memory_use::stash] = 30;
  for (const plan::tile_bytes& t : made.tiles) made.totals.push_back(static_cast<std::uint32_t>(t.total()));
  return made;
}

}  // namespace

TEST_CASE("the fullest tile is another one where rings of a stage are deeper, or less deep") {
  const plan::counted_chip chip = two_stages();
  const auto fullest = [&](std::size_t stash, std::size_t queue) {
    const std::vector<plan::ring_depths> depths{{0, stash, 0, 0}, {queue, 0, 0, 0}};
    return plan::fullest_tile<>(chip, depths);
  };
  CHECK(fullest(2, 1).tile == 1);
  CHECK(fullest(2, 1).bytes.total() == 200);
  CHECK(fullest(20, 1).tile == 0);
  CHECK(fullest(20, 1).bytes.total() == 80 + 200);
  CHECK(fullest(20, 1).bytes[memory_use::stash] == 200);
  CHECK(fullest(2, 4).tile == 2);
  CHECK(fullest(2, 4).bytes.total() == 120 + 4 * 30);
  CHECK(fullest(0, 0).bytes.total() == 198);
}

TEST_CASE("a schedule says how deep the stash is, and all else waits where it was counted") {
  plan::schedule_steps steps;
  steps.ipus = 1, steps.stages = 2;
  steps.ipu_of = steps.other_ipu_of = {0, 0};
  steps.depths = {30, 5};
  const plan::counted_chip chip = two_stages();
  const plan::counted_chip* const chips[] = {&chip};
  const std::vector<plan::chip_memory> found = plan::fullest_tiles<>(steps, chips);
  REQUIRE(found.size() == 1);
  CHECK(found[0].tile == 0);
  CHECK(found[0].bytes.total() == 80 + 300);
}

}  // namespace chip_memory_test
