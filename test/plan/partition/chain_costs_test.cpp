// SPDX-License-Identifier: BSL-1.0
// The costs of runs of blocks, worked out by hand.
#include <ipuflow/plan/partition/chain_costs.hpp>

#include <doctest/doctest.h>

namespace chain_costs_test {

using namespace ipuflow;
using namespace ipuflow::plan;
using plan::impl::chain_costs;
using plan::impl::none;

namespace {

constexpr chain_block blocks[]{{1, 2, 100, 10, 1000}, {3, 4, 250, 20, 600}, {5, 6, 30, 0, 200}};

}  // namespace

TEST_CASE("time, copies and loads") {
  const dynamic_array<std::size_t> depths{3, 1};
  balance_options o{.stages = 3, .load = load_kind::copies, .chip = {.speed = 2}, .link = {100, 7}};
  const chain_costs c{blocks, o, 3, depths};
  CHECK(c.work(1, 3) == 18);
  CHECK(c.time(0, 7) == 4);
  CHECK(c.copy(0, 1) == 2 + 7);
  CHECK(c.copy(1, 2) == 5 + 7);
  CHECK(c.load(0, 0, 1, 4) == 4 + 9);
  CHECK(c.load(1, 1, 2, 4) == 4 + 9 + 12);
  CHECK(c.load(2, 2, 3, 4) == 4 + 12);
  o.load = load_kind::overlap;
  CHECK(c.load(1, 1, 2, 4) == 12);
  CHECK(c.load(1, 1, 2, 40) == 40);
  o.load = load_kind::compute;
  CHECK(c.load(1, 1, 2, 4) == 4);
}

TEST_CASE("the work that is left below a bound is the most that stays below") {
  const dynamic_array<std::size_t> depths{3, 1};
  for (const load_kind load : {load_kind::compute, load_kind::copies, load_kind::overlap}) {
    for (std::size_t speed = 1; speed < 8; ++speed) {
      for (std::size_t measured_at = 1; measured_at < 5; ++measured_at) {
        const balance_options o{.stages = 3, .load = load, .chip = {.speed = speed}, .link = {100}, .measured_at = measured_at};
        const chain_costs c{blocks, o, 3, depths};
        for (std::size_t below = 1; below < 40; ++below) {
          const auto load_with = [&](std::size_t again) { return c.load(1, 1, 2, c.time(1, c.work(1, 2) + again)); };
          const std::size_t left = c.work_left(1, 1, 2, below);
          CHECK((left == none) == (load_with(0) >= below));
          if (left == none) continue;
          CHECK(load_with(left) < below);
          if (c.work(1, 2) + left < 2 * c.work(0, 3)) CHECK(load_with(left + 1) >= below);
        }
      }
    }
  }
}

TEST_CASE("bytes, and what recomputation has to free of them") {
  dynamic_array<std::size_t> depths{2, 3};
  depths[1] = 2;
  balance_options o{.stages = 2, .chip = {.memory = 5000}, .recompute = true, .entry_bytes = 50};
  const chain_costs c{blocks, o, 2, depths};
  CHECK(c.gain(0) == 950);
  CHECK(c.gain(1) == 500);
  CHECK(c.gain(2) == 0);  // what enters is more than what it keeps
  CHECK(c.bytes(0, 0, 2) == 4 * 30 + 3 * 1600);
  CHECK(c.bytes(1, 0, 2) == 4 * 30 + 2 * 1600);
  CHECK(c.least_bytes(0, 0, 2) == 4 * 30 + 3 * 150);
  CHECK(c.needed_gain(0, 0, 2) == 0);
  o.chip.memory = 4919;
  CHECK(c.needed_gain(0, 0, 2) == 1);  // one byte too many at depth 3
  o.chip.memory = 4916;
  CHECK(c.needed_gain(0, 0, 2) == 2);
  o.chip.memory = 570;
  CHECK(c.needed_gain(0, 0, 2) == 1450);
  o.chip.memory = 569;
  CHECK(c.needed_gain(0, 0, 2) == none);
}

}  // namespace chain_costs_test
