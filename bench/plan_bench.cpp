// SPDX-License-Identifier: BSL-1.0
// The time of a partition: of chains of 40 and 72 blocks for each kind of load, and with recomputation of 62 blocks on 16 chips,
// for times and bytes at random and for such that are nearly proportional, which make the knapsacks hard.
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/plan/partition/balance.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace ipuflow;

namespace {

/// Layers whose forward passes take up to 10,000 units. Of proportional ones each byte that is freed takes the same time.
std::vector<plan::chain_block> layers(std::size_t count, bool proportional = false) {
  std::vector<plan::chain_block> all;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t any = mixed_bits(b);
    const std::size_t forward = any % 10'000 + 1;
    const std::size_t activation = proportional ? forward * 2000 + (any >> 60) : (any >> 24) % 20'000'000;
    all.push_back({forward, 2 * forward, (any >> 16) % 1'000'000, (any >> 40) % 10'000'000, activation, 0});
  }
  return all;
}

void balance(benchmark::State& state, const std::vector<plan::chain_block>& chain, const plan::balance_options& rules) {
  std::size_t bottleneck = 0, recomputed = 0;
  for (auto _ : state) {
    const auto p = plan::balance(chain, rules);
    bottleneck = p.bottleneck;
    recomputed = p.recomputed.size();
    benchmark::DoNotOptimize(&p);
  }
  state.counters["bottleneck"] = static_cast<double>(bottleneck);
  state.counters["recomputed"] = static_cast<double>(recomputed);
}

/// The least memory in which a chain fits, if blocks may recompute or not.
std::size_t least_memory(const std::vector<plan::chain_block>& chain, plan::balance_options rules, bool recompute) {
  std::size_t least = 0;
  rules.recompute = recompute;
  for (std::size_t step = std::size_t{1} << 40; step > 0; step /= 2) {
    rules.chip.memory = least + step - 1;
    if (plan::verify_balance(chain, rules).kind == plan::balance_wrong::does_not_fit) least += step;
  }
  return least;
}

/// Between the least memory with recomputation and the least without, at that many per cent of the way.
void recompute(benchmark::State& state, const std::vector<plan::chain_block>& chain) {
  plan::balance_options rules{.stages = 16, .recompute = true};
  const std::size_t all = least_memory(chain, rules, true), none = least_memory(chain, rules, false);
  rules.chip.memory = all + (none - all) * static_cast<std::size_t>(state.range(0)) / 100;
  balance(state, chain, rules);
}

const plan::balance_options alone{.stages = 8};
const plan::balance_options waiting{.stages = 8, .load = plan::load_kind::copies, .link = {100}};
const plan::balance_options beside{.stages = 8, .load = plan::load_kind::overlap, .link = {100}};
BENCHMARK_CAPTURE(balance, blocks_40_compute, layers(40), alone);
BENCHMARK_CAPTURE(balance, blocks_40_copies, layers(40), waiting);
BENCHMARK_CAPTURE(balance, blocks_72_compute, layers(72), alone);
BENCHMARK_CAPTURE(balance, blocks_72_copies, layers(72), waiting);
BENCHMARK_CAPTURE(balance, blocks_72_overlap, layers(72), beside);
BENCHMARK_CAPTURE(recompute, blocks_62_at_random, layers(62))->Arg(0)->Arg(50)->Arg(100)->ArgName("room");
BENCHMARK_CAPTURE(recompute, blocks_62_proportional, layers(62, true))->Arg(0)->Arg(50)->Arg(100)->ArgName("room");

}  // namespace
