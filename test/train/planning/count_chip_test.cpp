// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/count_chip.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace count_chip_test {

using namespace planning_test;
using plan::memory_use;

namespace {

std::uint64_t total(const plan::counted_chip& chip, memory_use u) {
  std::uint64_t sum = 0;
  for (const plan::tile_bytes& t : chip.tiles) sum += t[u];
  return sum;
}

}  // namespace

TEST_CASE("a chip that is counted alone has the tiles, the passes and the bytes that it has among the others") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  const schedule::table t = schedule::tabulate(schedule::grouped({.ipus = 2, .micro_batches = 8}));
  const train::options o{.micro_batch = 3};
  const on::chips where{.system = ipu::pod(ipu::mk2, 2)};
  const run::chips_profile all = train::count_step(cut, t, train::adamw{}, o, where);
  for (const std::size_t chip : {0u, 1u}) {
    const plan::counted_chip alone = train::count_chip(cut, t, chip, train::adamw{}, o, where);
    REQUIRE(alone.stages.size() == 1);
    for (std::size_t i = 0; i < alone.tiles.size(); ++i) {
      const ipu::tile_memory& among = all.chips.memory.tiles[chip * alone.tiles.size() + i];
      REQUIRE(alone.totals[i] == alone.tiles[i].total());
      REQUIRE(alone.tiles[i].total() == among.total());
      REQUIRE(alone.tiles[i].code() == among.code());
    }
    std::uint64_t passes = 0;
    for (const run::label_total& l : all.totals()) {
      if (l.what.chip == chip && (l.what.work == run::chips_work::pass || l.what.work == run::chips_work::stash || l.what.work == run::chips_work::restore))
        passes += l.busy.value;
    }
    std::uint64_t mine = 0;
    for (const cycles c : alone.stages[0].passes) mine += c.value;
    CHECK(mine * 8 >= passes);
    CHECK(mine * 8 < passes + 64);  // each is rounded up
    CHECK(alone.stages[0].from_host.value * 8 == all.chips.chips[chip].moved.host_in);
    const std::uint64_t parameters = chip == 0 ? whole.parameters_before(3) : whole.parameters() - whole.parameters_before(3);
    CHECK(total(alone, memory_use::weights) == 4 * parameters);
    CHECK(total(alone, memory_use::gradients) == 4 * parameters);
    CHECK(total(alone, memory_use::optimiser_state) == 8 * parameters);
  }
}

TEST_CASE("a place of the stash is what waits for one micro-batch") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  const auto stash = [&](std::size_t micro_batches) {
    const schedule::table t = schedule::tabulate(schedule::gpipe({.ipus = 2, .micro_batches = micro_batches}));
    return train::count_chip(cut, t, 0, train::sgd{}, {.micro_batch = 2}, {});
  };
  const plan::counted_chip fewer = stash(4), deeper = stash(9);
  const plan::counted_ring &few = fewer.stages[0][plan::ring_of_stage::stash], &more = deeper.stages[0][plan::ring_of_stage::stash];
  CHECK(more.depth == few.depth + 5);
  REQUIRE(few.slot.size() == fewer.tiles.size());
  for (std::size_t t = 0; t < fewer.tiles.size(); ++t) {
    REQUIRE(few.slot[t] == more.slot[t]);
    REQUIRE(fewer.tiles[t][memory_use::stash] == few.depth * few.slot[t]);
    REQUIRE(deeper.tiles[t][memory_use::stash] == more.depth * few.slot[t]);
  }
}

}  // namespace count_chip_test
