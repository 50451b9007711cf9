// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/least_bytes.hpp>
#include <ipuflow/train/planning/network_facts.hpp>
#include <ipuflow/train/planning/planner.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace least_bytes_test {

using namespace planning_test;

namespace {

constexpr auto tied = single_stage(input<float, 8, 32>, per_sample<"label", std::uint8_t>, block<"first">(nn::linear<48>, nn::relu),
                                   block<"a">(nn::layer_norm, nn::linear<48>, nn::gelu), block<"b">(nn::tied<"a[1]">(nn::linear<48>), nn::tanh),
                                   block<"last">(nn::flatten, nn::linear<10>, use<"label">(nn::cross_entropy)));

}  // namespace

TEST_CASE("no chip is counted with less, wherever its numbers are kept") {
  const train::planned_network of[] = {train::planned(network, plan::numbers::f32_32, train::adamw{}), train::planned(tied, plan::numbers::f32_32, train::lars{}),
                                       train::planned(network, plan::numbers::f16_16, train::sgd{})};
  std::mt19937 random(3);
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 12;
  for (unsigned trial = 0; trial < 60; ++trial) {
    const train::planned_network& planned = of[trial % 3];
    train::planner planner(chip, {planned});
    plan::configuration c{.ipus = 1 + trial % 2, .replicas = one_in(2) ? 2u : 1u, .micro_batch = 2, .accumulation = 4, .precision = planned.precision};
    if (c.ipus == 2) c.cuts = {1 + random() % (planned.network.blocks() - 1)};
    if (one_in(4)) c.run_for = mode::inference, c.schedule = "inference";
    c.optimiser_off_chip = one_in(3), c.weights_off_chip = one_in(3), c.accumulators_off_chip = one_in(3);
    if (c.replicas > 1) c.shard_optimiser = one_in(3), c.shard_gradients = one_in(3), c.shard_weights = one_in(3);
    c.io_tiles = one_in(3) ? 2 : 0;
    c.activations_off_chip = one_in(4);
    if (one_in(3)) c.recompute.add(0);
    train::impl::network_facts facts(chip, {planned});
    const plan::schedule_steps& steps = facts.steps_of(c, 0);
    const plan::prediction found = planner(c);
    for (std::size_t k = 0; k < c.ipus; ++k)
      CHECK(train::impl::least_bytes<>(c, planned, facts.chain_of(c, planned), facts.waits_of(c, steps).waits, k, chip.tiles) <= found.memory[k].bytes.total());
  }
}

TEST_CASE("weights, sums of gradients and the optimiser's state of a chip's blocks, evenly over its tiles") {
  const train::planned_network planned = train::planned(network, plan::numbers::f32_32, train::adamw{});
  CHECK(planned.state_bytes == 8);
  const std::size_t first = 32 * 48 + 48, layer = 2 * 48 + 48 * 48 + 48, last = 8 * 48 * 10 + 10;
  CHECK(planned.network.numbers_of({0, 6}) == first + 4 * layer + last);
  CHECK(planned.network.numbers_of({1, 3}) == 2 * layer);
  const train::planned_network shared = train::planned(tied, plan::numbers::f32_32, train::adamw{});
  CHECK(shared.network.numbers_of({2, 3}) == 0);  // its weights may stand beside others that have them
  const std::vector<plan::chain_block> chain(6, plan::chain_block{.cut_bytes = 100, .activation_bytes = 1'000});
  const std::vector<run::stage_waits> waits{{.stage = 0, .chip = 0, .values = 0}, {.stage = 1, .chip = 1, .values = 3}};
  plan::configuration c{.cuts = {3}, .ipus = 2, .replicas = 2, .accumulation = 4};
  std::size_t kept = 3 * 1'000 - 2 * 100;  // what goes from block to block is kept once
  const auto bytes = [&](std::size_t of_number) { return ((first + 2 * layer) * of_number + kept) / 10; };
  const auto least = [&](const plan::configuration& with) { return train::impl::least_bytes<>(with, planned, chain, waits, 0, 10); };
  CHECK(least(c) == bytes(4 + 4 + 8));
  c.shard_optimiser = true;
  CHECK(least(c) == bytes(4 + 4));
  c.shard_gradients = true;
  CHECK(least(c) == bytes(4));
  c.weights_off_chip = true;
  CHECK(least(c) == kept / 10);
  c.activations_off_chip = true;
  CHECK(least(c) == 0);
  plan::configuration halves{.cuts = {3}, .ipus = 2, .accumulation = 4, .precision = plan::numbers::f16_16};
  CHECK(least(halves) == bytes(2 + 2 + 8));
  halves.optimiser_off_chip = halves.accumulators_off_chip = true;
  CHECK(least(halves) == bytes(2));
  kept = 0;
  CHECK(least({.cuts = {3}, .run_for = mode::inference, .ipus = 2}) == bytes(4));
  const auto second = train::impl::least_bytes<>({.cuts = {3}, .ipus = 2}, planned, chain, waits, 1, 10);
  CHECK(second == ((2 * layer + last) * 16 + 3 * (3 * 1'000 - 2 * 100)) / 10);  // of three micro-batches
}

}  // namespace least_bytes_test
