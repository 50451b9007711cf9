// SPDX-License-Identifier: BSL-1.0
// The cheapest set of recomputing blocks, against every set.
#include <ipuflow/plan/partition/least_recomputation.hpp>

#include "every_partition.hpp"

#include <doctest/doctest.h>

namespace least_recomputation_test {

using namespace ipuflow;
using namespace ipuflow::plan;
using plan::impl::chain_costs;
using plan::impl::least_recomputation;
using plan::impl::none;

namespace {

/// Blocks whose gains are what they say, of one of several kinds.
std::vector<chain_block> blocks_of(every_partition::numbers& any, std::size_t kind) {
  std::vector<chain_block> blocks(any.from_to(1, 13));
  for (chain_block& b : blocks) {
    b.kept_bytes = 0;
    b.activation_bytes = any.below(kind == 0 ? 10 : 1000);
    b.forward = any.below(kind == 0 ? 10 : 1000);
    if (kind == 2) b.forward = b.activation_bytes;             // all alike: a sum of a subset
    if (kind == 3) b.forward = b.activation_bytes + 100;       // nearly
    if (kind == 4) b.forward = 12 * b.activation_bytes, b.activation_bytes *= 6;
    if (kind == 5) b.forward = any.below(2), b.activation_bytes = any.below(3);
  }
  return blocks;
}

}  // namespace

TEST_CASE("against every set") {
  for (std::uint64_t n = 0; n < 1200; ++n) {
    CAPTURE(n);
    every_partition::numbers any{n};
    const auto blocks = blocks_of(any, n % 6);
    const dynamic_array<std::size_t> depths{1, 1};
    const balance_options o{.stages = 1, .recompute = true};
    const chain_costs costs{blocks, o, 1, depths};
    least_recomputation knapsack{costs, o.search_limit};
    const std::size_t first = any.below(blocks.size()), end = any.from_to(first + 1, blocks.size());
    std::size_t all = 0;
    for (std::size_t b = first; b < end; ++b) all += blocks[b].activation_bytes;
    const std::size_t gain = any.below(all + 2);
    std::size_t least = none;
    for (std::size_t set = 0; set < std::size_t{1} << (end - first); ++set) {
      std::size_t time = 0, freed = 0;
      for (std::size_t b = first; b < end; ++b) {
        if ((set >> (b - first)) & 1) time += blocks[b].forward, freed += blocks[b].activation_bytes;
      }
      if (freed >= gain) least = std::min(least, time);
    }
    CHECK(knapsack.time(first, end, gain, 1'000'000) == least);
    if (least == none) continue;
    CHECK(knapsack.time(first, end, gain, least) == least);
    if (least > 0) CHECK(knapsack.time(first, end, gain, least - 1) == none);
    std::size_t time = 0, freed = 0, before = 0;
    for (const std::size_t b : knapsack.set(first, end, gain)) {
      CHECK(b >= first);
      CHECK(b < end);
      CHECK((time == 0 || b > before));
      before = b;
      time += blocks[b].forward;
      freed += blocks[b].activation_bytes;
    }
    CHECK(time == least);
    CHECK(freed >= gain);
    CHECK(!knapsack.gave_up());
  }
}

TEST_CASE("of sets that take the same time the later blocks run again") {
  const std::vector<chain_block> blocks(6, chain_block{.forward = 5, .activation_bytes = 10, .kept_bytes = 0});
  const dynamic_array<std::size_t> depths{1, 1};
  const balance_options o{.stages = 1, .recompute = true};
  const chain_costs costs{blocks, o, 1, depths};
  least_recomputation knapsack{costs, 100};
  const auto set = knapsack.set(1, 6, 21);
  REQUIRE(set.size() == 3);
  CHECK(set[0] == 3);
  CHECK(set[2] == 5);
}

TEST_CASE("a search beyond its limit says so") {
  every_partition::numbers any{1};
  std::vector<chain_block> blocks(40);
  for (chain_block& b : blocks) {
    b.activation_bytes = any.below(1'000'000'000);
    b.forward = b.activation_bytes + any.below(1000);
    b.kept_bytes = 0;
  }
  const balance_options o{.stages = 1, .chip = {.memory = 10'000'000'000}, .recompute = true, .search_limit = 1000};
  const balance_fault found = verify_balance(blocks, o);
  CHECK(found == balance_fault{balance_wrong::search_too_long, 0, 1000});
  CHECK_THROWS_AS((void)balance(blocks, o), rejected<balance_fault>);
}

}  // namespace least_recomputation_test
