// SPDX-License-Identifier: BSL-1.0
// Partitions against published optima, and against laws.
#include <ipuflow/plan/partition/balance.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include "every_partition.hpp"
#include "partition_cases.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace balance_test {

using namespace ipuflow;
using namespace ipuflow::plan;

namespace {

std::string said(const balance_fault& f) { return std::string{message(f).view()}; }

template <auto Partition>
constexpr std::size_t bottleneck_of = Partition.bottleneck;

}  // namespace

TEST_CASE("profiled chains have the optima that were found for them") {
  for (const partition_cases::answer& a : partition_cases::answers) {
    CAPTURE(a.chain.size());
    CAPTURE(a.stages);
    CHECK(balance(a.chain, {.stages = a.stages}).bottleneck == a.compute);
    CHECK(balance(a.chain, {.stages = a.stages, .load = load_kind::copies, .link = {10'000}}).bottleneck == a.copies);
    CHECK(balance(a.chain, {.stages = a.stages, .load = load_kind::overlap, .link = {3125}}).bottleneck == a.overlap);
    const balance_options limited{.stages = a.stages, .chip = {.memory = a.memory}};
    const auto p = balance(a.chain, limited);
    CHECK(p.bottleneck == a.in_memory);
    every_partition::check_itself(p, a.chain, limited);
  }
}

TEST_CASE("the limits of the profiled chains are 1.05 times the least ones") {
  for (const partition_cases::answer& a : partition_cases::answers) {
    const balance_fault found = verify_balance(a.chain, {.stages = a.stages, .chip = {.memory = a.memory * 100 / 105 - 1}});
    CHECK(found.kind == balance_wrong::does_not_fit);
    CHECK(found.got * 105 / 100 >= a.memory - 1);
    CHECK(found.got * 105 / 100 <= a.memory + 1);
  }
}

TEST_CASE("the heaviest stage is that of three layers of seven or eight in four stages") {
  constexpr auto layers = [] {
    std::array<chain_block, 8> all{};
    for (chain_block& layer : all) layer = {10, 20};
    return all;
  }();
  constexpr auto p = balance(layers, {.stages = 3});
  static_assert(p.bottleneck == 3 * 30 && p.lower_bound == 80);
  static_assert(p.cuts == per_stage(2, 5));
  // [1, 2, 2, 3] layers: the memory of the first three stages has room for no more
  constexpr chain_chip chips[]{{.memory = 100}, {.memory = 200}, {.memory = 200}, {}};
  constexpr auto heavy = [] {
    std::array<chain_block, 8> all{};
    for (chain_block& layer : all) layer = {10, 20, 0, 100, 0};
    return all;
  }();
  static_assert(balance(heavy, {.stages = 4, .chips = chips, .parameter_copies = 1}).cuts == per_stage(1, 3, 5));
  static_assert(balance(heavy, {.stages = 4, .chips = chips, .parameter_copies = 1}).bottleneck == 3 * 30);
}

TEST_CASE("cuts of one's own") {
  constexpr auto layers = [] {
    std::array<chain_block, 8> all{};
    for (chain_block& layer : all) layer = {10, 20, 7, 100, 40};
    return all;
  }();
  constexpr auto p = cut_at(layers, per_stage(1, 3, 5), {});  // 1, 2, 2 and 3 layers
  static_assert(p.bottleneck == 3 * 30 && p.stages[3].load == p.bottleneck && p.stages.size() == 4);
  static_assert(p.stages[0].bytes == 400 + 4 * 40 && p.stages[3].bytes == 1200 + 3 * 40);
  const auto fault = [&](std::initializer_list<std::size_t> cuts, const balance_options& o = {}) {
    try {
      (void)cut_at(layers, std::vector(cuts), o);
    } catch (const rejected<balance_fault>& bad) {
      return bad.found();
    }
    return balance_fault{};
  };
  CHECK(fault({}) == balance_fault{});
  CHECK(fault({7}) == balance_fault{});
  CHECK(fault({8}) == balance_fault{balance_wrong::misplaced_cut, 8, 8, {.stage = 1}});
  CHECK(fault({0}) == balance_fault{balance_wrong::misplaced_cut, 0, 8, {.stage = 1}});
  CHECK(fault({3, 3}) == balance_fault{balance_wrong::misplaced_cut, 3, 8, {.stage = 2, .first = 3}});
  CHECK(fault({1, 3, 5}, {.chip = {.memory = 1319}}) == balance_fault{balance_wrong::stage_does_not_fit, 1320, 1319, {3, 5, 8, 4}});
  CHECK(fault({1, 3, 5}, {.chip = {.memory = 1320}}) == balance_fault{});
  CHECK(fault({1, 3, 5}, {.chip = {.memory = 1319}, .recompute = true}) == balance_fault{});
  for (std::uint64_t n = 0; n < 300; ++n) {  // those of the best partition give it back
    every_partition::numbers any{5000 + n};
    const auto blocks = every_partition::any_chain(any, 30, 100);
    const balance_options o{.stages = any.from_to(1, std::min<std::size_t>(6, blocks.size())), .load = load_kind::copies,
                            .chip = {.memory = any.from_to(2000, 50'000)}, .link = {50}, .recompute = true};
    if (verify_balance(blocks, o)) continue;
    const auto best = balance(blocks, o);
    CHECK(cut_at(blocks, best.cuts, o) == best);
  }
}

TEST_CASE("a partition into fewer stages than chips and links are listed for is cut on the first of them") {
  const std::vector<chain_block> blocks(2, chain_block{.forward = 10, .backward = 20, .cut_bytes = 1000});
  const std::vector<chain_chip> chips{{unlimited, 1}, {unlimited, 2}, {unlimited, 4}, {unlimited, 4}};
  const std::vector<chain_link> links{{1, 0}, {2, 0}, {3, 0}};  // too slow for what leaves a block
  balance_options o{.stages = 4, .fewer_stages = true, .load = load_kind::copies, .chips = chips, .links = links};
  const auto best = balance(blocks, o);
  CHECK(best.stages.size() == 1);
  CHECK(cut_at(blocks, best.cuts, o).bottleneck == best.bottleneck);
  CHECK(cut_at(blocks, std::vector<std::size_t>{1}, o).bottleneck > best.bottleneck);
  o.fewer_stages = false;
  CHECK_THROWS_AS((void)cut_at(blocks, best.cuts, o), rejected<balance_fault>);
}

TEST_CASE("laws") {
  for (std::uint64_t n = 0; n < 300; ++n) {
    CAPTURE(n);
    every_partition::numbers any{9000 + n};
    auto blocks = every_partition::any_chain(any, 40, 1000);
    balance_options o{.stages = any.from_to(1, std::min<std::size_t>(8, blocks.size())), .recompute = any.below(2) == 0};
    const auto free = balance(blocks, o);
    CHECK(free.recomputed.empty());
    if (o.stages < blocks.size()) {  // one more stage is never worse where copies cost nothing
      CHECK(balance(blocks, {.stages = o.stages + 1}).bottleneck <= free.bottleneck);
    }
    std::size_t before = unlimited;  // more memory is never worse
    for (const std::size_t memory : {1'000u, 3'000u, 10'000u, 30'000u, 100'000u, 300'000u, 1'000'000u}) {
      o.chip.memory = memory;
      if (verify_balance(blocks, o)) {
        CHECK(before == unlimited);
        continue;
      }
      const auto p = balance(blocks, o);
      CHECK(p.bottleneck <= before);
      CHECK(p.bottleneck >= free.bottleneck);
      before = p.bottleneck;
      auto longer = blocks;  // times in a smaller unit
      for (chain_block& b : longer) b.forward *= 1000, b.backward *= 1000;
      const auto scaled = balance(longer, o);
      CHECK(scaled.bottleneck == 1000 * p.bottleneck);
      CHECK(scaled.cuts == p.cuts);
      CHECK(scaled.recomputed == p.recomputed);
      auto other = o;  // and recomputation is never worse than none
      other.recompute = false;
      if (!verify_balance(blocks, other)) CHECK(p.bottleneck <= balance(blocks, other).bottleneck);
    }
    CHECK(before == free.bottleneck);
  }
}

TEST_CASE("faster chips get more, and a clock is a speed") {
  constexpr std::array<chain_block, 6> layers{{{1000}, {1000}, {1000}, {1000}, {1000}, {1000}}};
  constexpr chain_chip chips[]{{.speed = 1850}, {.speed = 925}};
  constexpr auto p = balance(layers, {.stages = 2, .chips = chips, .measured_at = 1850});
  static_assert(p.cuts == per_stage(4) && p.bottleneck == 4000 && p.lower_bound == 4000);
}

TEST_CASE("depths of a schedule") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 16});
  std::vector<chain_block> blocks(8, chain_block{10, 20, 0, 0, 100});
  const balance_options o{.stages = 4, .chip = {.memory = 1400}};
  const auto p = balance(blocks, o, schedule::in_flight(t));
  CHECK(p.stages[0].depth == 7);
  CHECK(p.stages[0].bytes == 7 * 100 * p.stages[0].end);
  CHECK(p.cuts == std::vector<std::size_t>{2, 4, 6});
  CHECK(verify_balance(blocks, {.stages = 4, .chip = {.memory = 699}}, schedule::in_flight(t)).kind == balance_wrong::does_not_fit);
  CHECK(said(verify_balance(blocks, {.stages = 3}, schedule::in_flight(t))) ==
        "ipuflow: depths of the stash are listed for 4 stages, not for 3; take those of a schedule of as many stages");
  const schedule::counts none{};
  CHECK(verify_balance(blocks, {.stages = 3}, none).kind == balance_wrong::other_depths);
}

TEST_CASE("recomputation is told stage by stage") {
  // 600 bytes are to be freed at depth 2: blocks 1 and 3 free 200 and 100, so both run again
  const std::vector<chain_block> blocks{{5, 5, 100, 0, 100}, {4, 5, 100, 0, 300}, {9, 5, 100, 0, 110}, {3, 5, 100, 0, 200}, {1, 1}};
  const auto p = balance(blocks, {.stages = 2, .chip = {.memory = 820}, .recompute = true}, [](auto, auto) { return 2u; });
  CHECK(p.cuts == std::vector<std::size_t>{2});
  const auto one = balance(blocks, {.stages = 1, .chip = {.memory = 820}, .recompute = true}, [](auto, auto) { return 2u; });
  CHECK(one.recomputed == std::vector<std::size_t>{1, 3});
  CHECK(one.stages[0].recompute == 7);
  CHECK(one.stages[0].bytes == 820);
  CHECK(one.bottleneck == 22 + 21 + 7);
}

TEST_CASE("a partition is a constant, and an argument of a template") {
  constexpr auto p = balance({{1, 2}, {3, 4}, {5, 6}, {1, 1}}, {.stages = 2});
  static_assert(p.cuts == per_stage(2) && p.bottleneck == 13);
  static_assert(bottleneck_of<p> == 13);
  static_assert(accept<verify_balance(partition_cases::resnet50, {.stages = 8})>());
}

TEST_CASE("forty blocks are a constant within the compilers' limits") {
  constexpr auto chain = [] {
    std::array<chain_block, 40> all{};
    for (std::size_t b = 0; b < all.size(); ++b) {
      const std::uint64_t any = mixed_bits(b);
      all[b] = {any % 1000 + 1, (any >> 10) % 2000, (any >> 21) % 100'000, (any >> 38) % 5000, (any >> 45) % 90'000};
    }
    return all;
  }();
  constexpr auto alone = balance(chain, {.stages = 13});
  constexpr auto waiting = balance(chain, {.stages = 8, .load = load_kind::copies, .link = {100}});
  constexpr auto beside = balance(chain, {.stages = 16, .load = load_kind::overlap, .link = {100}});
  constexpr auto limited = balance(chain, {.stages = 8, .chip = {.memory = 1'500'000}, .recompute = true});
  static_assert(!limited.recomputed.empty());
  CHECK(alone == balance(chain, {.stages = 13}));
  CHECK(waiting == balance(chain, {.stages = 8, .load = load_kind::copies, .link = {100}}));
  CHECK(beside == balance(chain, {.stages = 16, .load = load_kind::overlap, .link = {100}}));
  CHECK(limited == balance(chain, {.stages = 8, .chip = {.memory = 1'500'000}, .recompute = true}));
}

TEST_CASE("what does not fit is told with the stage that is in the way") {
  const std::vector<chain_block> blocks{{1, 1, 0, 10, 5}, {1, 1, 0, 300, 5}, {1, 1, 0, 10, 5}};
  const balance_options o{.stages = 2, .chip = {.memory = 1000}};
  CHECK(said(verify_balance(blocks, o)) ==
        "ipuflow: no partition into 2 stages fits: the closest one has stage 1, blocks 1 to 2, which needs 1250 bytes of 1000, "
        "250 too many; give more memory or stages, recompute, or cut these blocks");
  CHECK_THROWS_AS((void)balance(blocks, o), rejected<balance_fault>);
  auto larger = o;
  larger.chip.memory = 1250 - 1;
  CHECK(verify_balance(blocks, larger));
  larger.chip.memory = 1250;
  CHECK(!verify_balance(blocks, larger));
}

}  // namespace balance_test
