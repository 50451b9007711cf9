// SPDX-License-Identifier: BSL-1.0
// The search over cuts alone, for costs that are a table.
#include <ipuflow/plan/partition/stage_search.hpp>

#include "every_partition.hpp"

#include <doctest/doctest.h>

namespace stage_search_test {

using namespace ipuflow;
using plan::impl::least_longest;
using plan::impl::least_squares;
using plan::impl::none;

namespace {

/// Costs that neither grow nor fall with blocks; some runs are no stage at all.
struct any_costs {
  std::size_t stage_count, block_count;
  std::uint64_t seed;

  std::size_t stages() const { return stage_count; }
  std::size_t blocks() const { return block_count; }
  std::size_t least(std::size_t, std::size_t first, std::size_t end) const { return end - first; }
  std::size_t below(std::size_t stage, std::size_t first, std::size_t end, std::size_t bound) const {
    const std::uint64_t bits = mixed_bits(mixed_bits(seed + stage * 400 + first * 20 + end));
    const std::size_t cost = end - first + bits % 8;
    return bits % 100 < 90 && cost < bound ? cost : none;
  }
};

void add_stages(const any_costs& costs, every_partition::one& now, std::size_t first, std::vector<every_partition::one>& all) {
  const std::size_t stage = now.loads.size();
  for (std::size_t end = first + 1; end <= costs.block_count; ++end) {
    const std::size_t load = costs.below(stage, first, end, none);
    if (load == none || (stage + 1 == costs.stage_count) != (end == costs.block_count)) continue;
    now.loads.push_back(load);
    if (end == costs.block_count) {
      all.push_back(now);
    } else {
      now.cuts.push_back(end);
      add_stages(costs, now, end, all);
      now.cuts.pop_back();
    }
    now.loads.pop_back();
  }
}

}  // namespace

TEST_CASE("against every partition") {
  for (std::uint64_t n = 0; n < 2000; ++n) {
    CAPTURE(n);
    every_partition::numbers any{n};
    any_costs costs{0, any.from_to(1, 11), n * 100'000};
    costs.stage_count = any.from_to(1, std::min<std::size_t>(6, costs.block_count));
    std::vector<every_partition::one> all;
    every_partition::one none_yet;
    add_stages(costs, none_yet, 0, all);
    std::size_t longest = none;
    for (const auto& p : all) longest = std::min(longest, p.longest());
    CHECK(least_longest(costs, none) == longest);
    if (longest == none) continue;
    CHECK(least_longest(costs, longest) == none);
    CHECK(least_longest(costs, longest + 1) == longest);
    const std::size_t bound = longest + 1 + n % 3;
    std::optional<every_partition::one> best;
    for (const auto& p : all) {
      if (p.longest() >= bound) continue;
      if (!best || p.squares() < best->squares() || (p.squares() == best->squares() && p.cuts < best->cuts)) best = p;
    }
    const auto begins = least_squares(costs, bound);
    REQUIRE(begins.size() == costs.stage_count + 1);
    CHECK(begins[0] == 0);
    CHECK(begins[costs.stage_count] == costs.block_count);
    CHECK(std::vector<std::size_t>(begins.begin() + 1, begins.end() - 1) == best->cuts);
  }
}

}  // namespace stage_search_test
