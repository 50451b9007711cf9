// SPDX-License-Identifier: BSL-1.0
#include "stage_pipelines.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/nn/stage/stage_cut.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stage_cut_test {

using namespace nn_test;

namespace {

template <class P>
plan::lowered typed_stage(const P& p, ipu::graph& g, std::size_t stage, const plan::lowering_options& how) {
  plan::lowered made;
  [&]<std::size_t... S>(std::index_sequence<S...>) {
    ((S == stage ? void(made = nn::lower_stage<S>(p, g, how)) : void()), ...);
  }(std::make_index_sequence<P::stage_count>{});
  return made;
}

template <class P>
nn::block_range blocks_of(std::size_t stage) {
  return {P::placement.first_block(stage), stage + 1 == P::stage_count ? P::block_count : P::placement.first_block(stage + 1)};
}

/// Values may stand in another order, with other gaps between them.
bool same_but_gaps(const ipu::memory_report& a, const ipu::memory_report& b) {
  const auto without_gaps = [](ipu::tile_memory t) {
    t[ipu::memory_category::gaps] = 0;
    return t;
  };
  return std::equal(a.tiles.begin(), a.tiles.end(), b.tiles.begin(), b.tiles.end(),
                    [&](const auto& x, const auto& y) { return without_gaps(x) == without_gaps(y); });
}

void check_equal(const run::chips_profile& typed, const run::chips_profile& cut) {
  CHECK(typed.chips.total == cut.chips.total);
  CHECK(typed.chips.chips == cut.chips.chips);
  CHECK(typed.chips.codelets == cut.chips.codelets);
  CHECK(same_but_gaps(typed.chips.memory, cut.chips.memory));
  CHECK(typed.chips.activities == cut.chips.activities);
}

/// The same timetable with stages that are types, and with stages that are cut out of one.
template <class P, class Whole>
void check(const P& typed, const Whole& whole, std::size_t samples) {
  const nn::network_on_tiles network(whole);
  constexpr auto batches = micro_batches<16>;
  const auto both = [&](const auto& timetable) {
    const ipu::chip_system system = ipu::pod(ipu::mk2, P::stage_count);
    const run::chips_options options{.samples = samples};
    const auto by_type = [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) { return typed_stage(typed, g, stage, how); };
    const auto by_cut = [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) {
      return network.lower(g, blocks_of<P>(stage), how);
    };
    check_equal(run::on_chips(timetable, system, by_type, options).cost(), run::on_chips(timetable, system, by_cut, options).cost());
  };
  both(schedule::grouped(typed, batches));
  both(schedule::grouped(typed, batches, {.recompute = schedule::recomputation::automatic}));
  both(schedule::sharded(typed, batches));
  both(schedule::inference(typed, batches));
}

constexpr auto small_whole = regroup(small, stage<"B1", "B2", "B3", "B4">());
constexpr auto residual_whole = regroup(residual, stage<"A", "B", "C", "D">());

}  // namespace

TEST_CASE("a stage that is cut out of a whole pipeline is counted as the typed one: convolutions, norms, a mask, a loss") {
  check(small, small_whole, 5);
}

TEST_CASE("and where values pass through a stage, leave twice, or leave as they came") { check(residual, residual_whole, 3); }

TEST_CASE("a range that is no part of the blocks is refused") {
  ipu::graph g(ipu::mk2);
  const nn::network_on_tiles network(small_whole);
  CHECK_THROWS_WITH(network.lower(g, {2, 5}, {}),
                    "ipuflow: blocks from 2 up to 5 are no part of a pipeline of 4 blocks; give a first one before the last, and both within them");
  for (const nn::block_range range : {nn::block_range{1, 1}, {2, 1}, {5, 6}})
    CHECK_THROWS_WITH(network.lower(g, range, {}), doctest::Contains("are no part of a pipeline of 4 blocks"));
  CHECK_THROWS_WITH(network.lower(g, {0, 4}, {.samples = 0}),
                    "ipuflow: a stage is to be laid out on tiles for micro-batches of no samples; give at least 1");
}

}  // namespace stage_cut_test
