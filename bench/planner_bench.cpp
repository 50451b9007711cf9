// SPDX-License-Identifier: BSL-1.0
// Plans: one of BERT-large on 16 chips, its advice, and the best of many configurations, once the chips that they need have been counted.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/plan/predict/advice.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/planner.hpp>
#include <ipuflow/zoo/transformers.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace ipuflow;

namespace {

constexpr std::size_t positions = 128;
using number = tensor<std::uint8_t, positions>;
constexpr auto bert_large =
    single_stage(input<std::uint16_t, positions>, per_sample<"segment", number>, per_sample<"text", number>, per_sample<"follows", std::uint8_t>,
                 zoo::bert<zoo::bert_large_sizes>, zoo::bert_pooler<zoo::bert_large_sizes>, block<"loss">(nn::linear<2>, use<"follows">(nn::cross_entropy)));

train::planner& planner() {
  static train::planner made(ipu::mk2, {train::planned(bert_large, plan::numbers::f32_32, train::lamb{})});
  return made;
}

/// Sixteen stages: embeddings and a layer, layers, the last one with the loss.
plan::configuration sixteen() {
  plan::configuration c{.schedule = "1f1b", .ipus = 16, .micro_batch = 2, .accumulation = 256, .recompute = schedule::all_stages};
  for (std::size_t s = 1; s < 16; ++s) c.cuts.push_back(1 + s * 24 / 16);
  return c;
}

void plan_of_bert_large(benchmark::State& state) {
  plan::configuration c = sixteen();
  benchmark::DoNotOptimize(planner()(c));
  for (auto _ : state) benchmark::DoNotOptimize(planner()(c));
  state.counters["chips_counted"] = static_cast<double>(planner().counted_chips());
}
BENCHMARK(plan_of_bert_large)->Unit(benchmark::kMicrosecond);

/// The same stages with other sizes: numbers of micro-batches, device iterations, host times, schedules that need the same chips.
void hundred_thousand_configurations(benchmark::State& state) {
  const auto all = [] {
    std::size_t count = 0;
    double best = 0;
    plan::configuration c = sixteen();
    for (const char* const schedule : {"1f1b", "grouped", "popart", "interleaved"}) {
      c.schedule = schedule;
      for (std::size_t m = 1; m <= 100; ++m) {
        c.accumulation = 32 * m;
        for (std::size_t d = 1; d <= 25; ++d) {
          c.device_iterations = d;
          for (std::size_t h = 0; h < 10; ++h) {
            c.host_time = seconds{1e-4 * static_cast<double>(h)};
            const double speed = planner()(c).samples_per_second();
            best = std::max(best, speed);
            count += speed > 0 ? 1 : 0;  // one that is refused is no plan
          }
        }
      }
    }
    benchmark::DoNotOptimize(best);
    return count;
  };
  benchmark::DoNotOptimize(all());
  for (auto _ : state) state.counters["configurations"] = static_cast<double>(all());
}
BENCHMARK(hundred_thousand_configurations)->Unit(benchmark::kSecond)->Iterations(1);

void advice_for_bert_large(benchmark::State& state) {
  const plan::configuration c = sixteen();
  const plan::advice_options keep{.keeps_numbers = true};
  benchmark::DoNotOptimize(plan::advise(planner(), c, keep));
  for (auto _ : state) benchmark::DoNotOptimize(plan::advise(planner(), c, keep));
}
BENCHMARK(advice_for_bert_large)->Unit(benchmark::kMillisecond);

}  // namespace
