// SPDX-License-Identifier: BSL-1.0
// Images a second of training the MNIST network of the pipelining tutorial: micro-batch 40, accumulation 10, AdamW. What
// PyTorch does on the same machine: bench/mnist_torch.py, run in turn with this. `items_per_second` is by the clock on the wall,
// `items_per_CPU_second` by the time of all threads together.
#include <ipuflow/feed/sources/synthetic.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoints.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include <unistd.h>

using namespace ipuflow;

namespace {

template <class Number>
constexpr auto mnist = pipeline(input<Number, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu), block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu),
    block<"B3">(nn::flatten, nn::linear<256>, nn::relu), block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy)));

template <class Precision, class P, class Timetable>
void train_on(benchmark::State& state, const P& pipeline, const Timetable& timetable) {
  const train::options o{.micro_batch = 40,
                         .inputs = train::scaling::of_pixels(0.1307f, 0.3081f),
                         .parameters = train::rounding::stochastic};
  auto session = train::session(pipeline, timetable, train::adamw{}, o, Precision{},
                                on::threads{.count = static_cast<std::size_t>(state.range(0))});
  std::array<std::uint8_t, 28 * 28> image{};
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(nn::random_bits(1, i));
  const auto steps = feed::synthetic(1, session.samples_per_step(), std::tuple{image, std::uint8_t{3}});
  session(steps.step());
  const std::clock_t begun = std::clock();
  for (auto _ : state) session(steps.step());
  const double processor = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  const auto images = static_cast<double>(state.iterations()) * static_cast<double>(session.samples_per_step());
  state.SetItemsProcessed(static_cast<std::int64_t>(images));
  state.counters["items_per_CPU_second"] = images / processor;
}

void pipelined(benchmark::State& state) {
  train_on<train::precision<>>(state, mnist<float>, schedule::one_f_one_b(mnist<float>, micro_batches<10>));
}
void sharded(benchmark::State& state) {
  train_on<train::precision<>>(state, mnist<float>, schedule::sharded(mnist<float>, micro_batches<10>));
}
void pipelined_half(benchmark::State& state) {
  train_on<train::precision<float, half>>(state, mnist<half>, schedule::one_f_one_b(mnist<half>, micro_batches<10>));
}

/// A checkpoint every 20 steps: `of_a_step` is how long one keeps the training's own thread from its next step, in steps; `time` is that of
/// 20 steps with one to that of 20 without, the median of turns.
void checkpointed(benchmark::State& state) {
  using clock = std::chrono::steady_clock;
  const auto seconds = [](clock::time_point begun) { return std::chrono::duration<double>(clock::now() - begun).count(); };
  auto session = train::session(mnist<float>, schedule::one_f_one_b(mnist<float>, micro_batches<10>), train::adamw{}, {.micro_batch = 40},
                                on::threads{.count = static_cast<std::size_t>(state.range(0))});
  const std::array<std::uint8_t, 28 * 28> image{};
  const auto steps = feed::synthetic(1, session.samples_per_step(), std::tuple{image, std::uint8_t{3}});
  const std::string folder = std::filesystem::temp_directory_path() / ("mnist_bench_" + std::to_string(::getpid()));
  std::vector<double> held, ratios;
  {
    train::checkpoints saved{folder};
    session(steps.step());
    const auto twenty = [&](bool saves) {
      const auto begun = clock::now();
      if (saves) saved.write(session);
      if (saves) held.push_back(seconds(begun));
      for (int i = 0; i < 20; ++i) session(steps.step());
      return seconds(begun);
    };
    (void)twenty(true);
    held.clear();
    for (auto _ : state) {
      const double without = twenty(false), with = twenty(true);
      ratios.push_back(with / without);
      held.back() /= without / 20;
    }
  }
  std::filesystem::remove_all(folder);
  const auto median = [](std::vector<double>& of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
  };
  state.counters["of_a_step"] = median(held);
  state.counters["time"] = median(ratios);
}

BENCHMARK(pipelined)->Arg(1)->Arg(2)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(sharded)->Arg(1)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(pipelined_half)->Arg(2)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(checkpointed)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
