// SPDX-License-Identifier: BSL-1.0
// Balance against every partition of short chains, and every set of recomputing blocks: a thousand random ones for each kind of rule.
#include <ipuflow/plan/partition/balance.hpp>

#include "every_partition.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace every_partition_test {

using namespace ipuflow;
using namespace ipuflow::plan;
using every_partition::check_itself;

namespace {

/// A thousand random chains against every partition of them.
template <class Change>
void check_against_all(std::uint64_t seed, std::size_t most_blocks_of_chain, const Change& change,
                       std::size_t least_recomputing = 0, const every_partition::depth_rule& depth = depth_of_1f1b{}) {
  std::size_t refused = 0, recomputing = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    CAPTURE(n);
    every_partition::numbers any{seed * 1000 + n};
    const auto blocks = every_partition::any_chain(any, most_blocks_of_chain, n % 2 == 0 ? 10 : 1000);
    balance_options o{.stages = any.from_to(1, std::min<std::size_t>(6, blocks.size()))};
    std::vector<chain_chip> chips;
    std::vector<chain_link> links;
    change(any, o, chips, links);
    o.chips = chips;
    o.links = links;
    const auto best = every_partition::best(blocks, o, depth);
    const balance_fault fault = verify_balance(blocks, o, depth);
    CHECK(static_cast<bool>(fault) == !best);
    if (fault) {
      CHECK(fault.kind == balance_wrong::does_not_fit);
      ++refused;
      continue;
    }
    const auto p = balance(blocks, o, depth);
    check_itself(p, blocks, o);
    CHECK(p.bottleneck == best->longest());
    CHECK(p.cuts == best->cuts);
    recomputing += !p.recomputed.empty();
  }
  CHECK(refused < 300);  // so that most of them say something
  CHECK(recomputing >= least_recomputing);
}

using chips_of = std::vector<chain_chip>;
using links_of = std::vector<chain_link>;

std::size_t some_memory(every_partition::numbers& any) { return any.from_to(500, 20'000); }

}  // namespace

TEST_CASE("compute alone") {
  check_against_all(1, 12, [](auto&, balance_options&, chips_of&, links_of&) {});
}

TEST_CASE("copies that a stage waits for") {
  check_against_all(2, 12, [](auto& any, balance_options& o, chips_of&, links_of&) {
    o.load = load_kind::copies;
    o.link = {any.from_to(1, 300), any.below(3)};
    o.directions = any.below(3);
  });
}

TEST_CASE("copies beside compute") {
  check_against_all(3, 12, [](auto& any, balance_options& o, chips_of&, links_of&) {
    o.load = load_kind::overlap;
    o.link = {any.from_to(1, 300), any.below(3)};
  });
}

TEST_CASE("a limit of memory") {
  check_against_all(4, 12, [](auto& any, balance_options& o, chips_of&, links_of&) {
    o.load = static_cast<load_kind>(any.below(3));
    o.link.rate = any.from_to(10, 300);
    o.chip.memory = some_memory(any);
    o.parameter_copies = any.below(6);
  });
}

TEST_CASE("chips and links that differ") {
  check_against_all(5, 12, [](auto& any, balance_options& o, chips_of& chips, links_of& links) {
    o.load = static_cast<load_kind>(any.below(3));
    o.measured_at = any.from_to(1, 9);
    for (std::size_t s = 0; s < o.stages; ++s) {
      chips.push_back({any.below(3) == 0 ? unlimited : some_memory(any) * 2, any.from_to(1, 9)});
      if (s > 0) links.push_back({any.from_to(1, 300), any.below(20)});
    }
  });
}

TEST_CASE("recomputation") {
  check_against_all(6, 12, [](auto& any, balance_options& o, chips_of& chips, links_of&) {
    o.recompute = true;
    o.load = static_cast<load_kind>(any.below(3));
    o.link.rate = any.from_to(10, 300);
    o.chip.memory = some_memory(any);
    o.entry_bytes = any.below(800);
    if (any.below(3) > 0) return;
    o.measured_at = any.from_to(1, 9);
    for (std::size_t s = 0; s < o.stages; ++s) chips.push_back({some_memory(any), any.from_to(1, 9)});
  }, 150);
}

TEST_CASE("any number of stages, and other depths of the stash") {
  check_against_all(
      7, 10,
      [](auto& any, balance_options& o, chips_of&, links_of&) {
        o.fewer_stages = any.below(3) > 0;
        o.recompute = any.below(2) == 0;
        o.load = static_cast<load_kind>(any.below(3));
        o.link.rate = any.from_to(1, 300);
        o.chip.memory = some_memory(any) * 2;
      },
      30, [](std::size_t stage, std::size_t stages) { return 2 * (stages - 1 - stage); });  // 0 in the last
}

}  // namespace every_partition_test
