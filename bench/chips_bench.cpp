// SPDX-License-Identifier: BSL-1.0
// How long it takes to learn what a large pipeline would take: 24 layers on 16 chips, 2,048 micro-batches of 512
// samples between updates, from the timetable to the profile. Layers are products of [512, 1024] x [1024, 1024] in half
// with GELU.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/on_chips.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <ctime>
#include <type_traits>

using namespace ipuflow;

namespace {

template <fixed_string Name>
constexpr auto one = stage(block<Name>(nn::linear<1024>, nn::gelu));
template <fixed_string Name>
constexpr auto two = stage(block<Name>(nn::linear<1024>, nn::gelu, nn::linear<1024>, nn::gelu));

constexpr auto deep =
    pipeline(input<half, 1024>, per_sample<"goal", tensor<half, 1024>>, two<"a">, two<"b">, two<"c">, two<"d">,
             two<"e">, two<"f">, two<"g">, two<"h">, one<"i">, one<"j">, one<"k">, one<"l">, one<"m">, one<"n">,
             one<"o">, stage(block<"p">(nn::linear<1024>, nn::gelu, use<"goal">(nn::mean_squared_error))));
using network = std::remove_const_t<decltype(deep)>;
static_assert(network::stage_count == 16);

/// By the number of micro-batches: both shall take the same time. `made` is the part until the layers are laid out and the program is
/// there, `counted` the rest, in seconds of processor time.
void profile_of_16_chips(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::clock_t made = 0, counted = 0;
  for (auto _ : state) {
    const std::clock_t begun = std::clock();
    const auto timetable = schedule::tabulate(schedule::grouped(schedule::setup_of(deep, count)));
    const train::session session{deep, timetable, train::adamw{}, {.micro_batch = 512}, train::precision<float, half>{},
                                 on::chips{.system = ipu::pod(ipu::mk2, 16)}};
    const std::clock_t there = std::clock();
    benchmark::DoNotOptimize(session.cost().chips.total);
    made += there - begun, counted += std::clock() - there;
  }
  const auto seconds = [](std::clock_t time) { return benchmark::Counter(static_cast<double>(time) / CLOCKS_PER_SEC, benchmark::Counter::kAvgIterations); };
  state.counters["made"] = seconds(made);
  state.counters["counted"] = seconds(counted);
}
BENCHMARK(profile_of_16_chips)->Arg(64)->Arg(2048)->Unit(benchmark::kMillisecond);

}  // namespace
