// SPDX-License-Identifier: BSL-1.0
// How many operations a second are generated, looked up and verified by running, and what analyses of closed forms take. These hardly
// depend on the number of operations, so their rows say how many the timetable has, and no rate.
#include <ipuflow/schedule.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string_view>

using namespace ipuflow;

namespace {

void rate(benchmark::State& state, std::size_t operations) {
  state.counters["operations"] =
      benchmark::Counter(static_cast<double>(operations), benchmark::Counter::kIsIterationInvariantRate);
}

/// Of an analysis whose time hardly depends on them.
void of_operations(benchmark::State& state, std::size_t operations) { state.counters["of_operations"] = static_cast<double>(operations); }

constexpr schedule::setup wide{.ipus = 16, .micro_batches = 4096};
constexpr schedule::setup chunked{.ipus = 16, .stages_per_ipu = 2, .micro_batches = 4096};

template <class T>
void generate(benchmark::State& state, const T& t) {
  for (auto _ : state) {
    std::size_t sum = 0;
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      for (auto w = t.walk(ipu); w; ++w) sum += w->micro_batch + w->step;
    }
    benchmark::DoNotOptimize(sum);
  }
  rate(state, schedule::operations(t));
}

template <class T>
void look_up(benchmark::State& state, const T& t) {
  const std::size_t steps = t.steps();
  for (auto _ : state) {
    std::size_t found = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) found += t.ops(ipu, step).size();
    }
    benchmark::DoNotOptimize(found);
  }
  rate(state, schedule::operations(t));
}

template <class T>
void verify_by_running(benchmark::State& state, const T& t) {
  for (auto _ : state) {
    const schedule::schedule_fault found = schedule::impl::verify_order(t);
    if (found) state.SkipWithError("the schedule is wrong");
    benchmark::DoNotOptimize(found.kind);
  }
  rate(state, schedule::operations(t));
}

template <class T>
void verify_form(benchmark::State& state, const T& t) {
  for (auto _ : state) {
    const schedule::schedule_fault found = schedule::verify(t);
    if (found) state.SkipWithError("the schedule is wrong");
    benchmark::DoNotOptimize(found.kind);
  }
  of_operations(state, schedule::operations(t));
}

template <class T>
void time_it(benchmark::State& state, const T& t) {
  for (auto _ : state) benchmark::DoNotOptimize(schedule::makespan(t));
  of_operations(state, schedule::operations(t));
}

/// Costs that differ by stage and link.
schedule::costs_of_stages<1024> unequal(std::size_t stages) {
  schedule::costs_of_stages<1024> c;
  for (std::size_t s = 0; s < stages; ++s) c.stage.push_back({100 + s * 37 % 50, 100 + s * 53 % 50, 80 + s * 71 % 50, s * 29 % 15});
  return c;
}

template <class T>
void times_million(benchmark::State& state, const T& t) {
  const auto c = unequal(t.where.stages);
  for (auto _ : state) benchmark::DoNotOptimize(schedule::makespan(t, c));
  of_operations(state, schedule::operations(t));
}

const schedule::table written = schedule::tabulate(schedule::one_f_one_b(wide));
const schedule::table written_zbv = schedule::tabulate(schedule::zbv(wide));

BENCHMARK_CAPTURE(generate, one_f_one_b, schedule::one_f_one_b(wide));
BENCHMARK_CAPTURE(generate, grouped, schedule::grouped(wide));
BENCHMARK_CAPTURE(generate, zb1p, schedule::zb1p(wide));
BENCHMARK_CAPTURE(generate, interleaved_1f1b, schedule::interleaved_1f1b(chunked));
BENCHMARK_CAPTURE(generate, zbv, schedule::zbv(wide));
BENCHMARK_CAPTURE(generate, dualpipev, schedule::dualpipev(wide));
BENCHMARK_CAPTURE(look_up, one_f_one_b, schedule::one_f_one_b(wide));
BENCHMARK_CAPTURE(look_up, interleaved_1f1b, schedule::interleaved_1f1b(chunked));
BENCHMARK_CAPTURE(verify_by_running, table_1f1b, written);
BENCHMARK_CAPTURE(verify_by_running, table_zbv, written_zbv);
BENCHMARK_CAPTURE(verify_by_running, walked_1f1b, schedule::one_f_one_b(wide));
BENCHMARK_CAPTURE(verify_form, one_f_one_b, schedule::one_f_one_b(wide));
BENCHMARK_CAPTURE(verify_form, zbv, schedule::zbv(wide));
BENCHMARK_CAPTURE(time_it, one_f_one_b, schedule::one_f_one_b(wide));

constexpr schedule::setup million{.ipus = 64, .micro_batches = 1'000'000};
BENCHMARK_CAPTURE(times_million, one_f_one_b, schedule::one_f_one_b(million));
BENCHMARK_CAPTURE(times_million, zb2p, schedule::zb2p(million));
BENCHMARK_CAPTURE(times_million, zbv, schedule::zbv(million));
BENCHMARK_CAPTURE(times_million, chimera, schedule::chimera(million));

}  // namespace
