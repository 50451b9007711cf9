// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/chip_system.hpp>
#include <ipuflow/plan/predict/searched_table.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace searched_table_test {

using namespace ipuflow;
using plan::ring_of_stage;
using schedule::pass;

namespace {

/// A chip of one stage whose stash has a byte a place on one of two tiles, and this much beside it.
plan::counted_chip chip_of(std::uint64_t forward, std::uint64_t backward, std::uint32_t beside, bool waits) {
  plan::counted_chip made;
  plan::counted_stage& s = made.stages.emplace_back();
  const auto set = [&](pass p, std::uint64_t time) { s.passes[static_cast<std::size_t>(p)] = {time}; };
  set(pass::forward, forward), set(pass::backward, 2 * backward), set(pass::backward_inputs, backward), set(pass::backward_weights, backward);
  if (waits) s[ring_of_stage::stash] = {.depth = 2, .slot = {0, 100}};
  made.tiles.resize(2);
  made.totals = {beside, beside + (waits ? 200u : 0u)};
  return made;
}

struct searched {
  schedule::table table{};
  schedule::counts in_flight{};
};
searched found(std::size_t micro_batches, std::uint32_t beside, bool split) {
  const plan::configuration c{.ipus = 3, .accumulation = micro_batches, .waits_for_neighbours = true};
  const plan::schedule_steps steps = plan::steps_of(split ? "zb1p" : "1f1b", {.ipus = 3, .micro_batches = micro_batches});
  const std::vector<plan::counted_chip> chips{chip_of(100, 90, beside, true), chip_of(80, 130, 0, true), chip_of(150, 60, 0, split)};
  const plan::counted_chip* const all[] = {&chips[0], &chips[1], &chips[2]};
  searched made{plan::searched_table<>(c, steps, all, ipu::pod(ipu::mk2, 3), split, 0.0, 200), {}};
  if (!made.table.refused) made.in_flight = schedule::in_flight(made.table);
  return made;
}

}  // namespace

TEST_CASE("a searched table is a timetable of as many micro-batches as are asked for") {
  for (const bool split : {false, true}) {
    for (const std::size_t micro_batches : {4u, 8u, 60u, 120u}) {
      CAPTURE(split);
      CAPTURE(micro_batches);
      const schedule::table t = found(micro_batches, 0, split).table;
      if (micro_batches > 32 && t.refused) continue;  // no body of that many
      REQUIRE(!t.refused);
      CHECK(!schedule::verify(t));
      CHECK(t.where.micro_batches == micro_batches);
      std::size_t splits = 0;
      for (const schedule::placed& o : t.rows[0]) splits += o.kind == pass::backward_weights ? 1u : 0u;
      CHECK(splits == (split ? micro_batches : 0));
    }
  }
}

TEST_CASE("no more waits on a chip than its fullest tile has room for") {
  const std::uint32_t tile = static_cast<std::uint32_t>(ipu::mk2.tile_memory.value);
  CHECK(found(8, tile - 100, false).in_flight[0] <= 2);  // one in the stash, one where it was made
  CHECK(found(8, tile - 200, false).in_flight[0] <= 3);
  CHECK(found(8, 0, false).in_flight[0] >= 3);
}

}  // namespace searched_table_test
