// SPDX-License-Identifier: BSL-1.0
// Images a second of training ResNet-18 on images of 32 x 32: micro-batch 32, accumulation 4, AdamW, over two stages. What PyTorch
// does on the same machine: bench/cifar_resnet_torch.py, run in turn with this. `items_per_second` is by the clock on the wall,
// `items_per_CPU_second` by the time of all threads together.
#include <ipuflow/feed/sources/synthetic.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/resnet.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <tuple>

using namespace ipuflow;

namespace {

constexpr auto whole = single_stage(input<float, 3, 32, 32>, per_sample<"class", std::uint8_t>, zoo::resnet18<10, zoo::stem::small_images>,
                                    block<"loss">(use<"class">(nn::cross_entropy)));
constexpr auto network = regroup(whole, stage<"conv1", "layer1.0", "layer1.1", "layer2.0">(),
                                 stage<"layer2.1", "layer3.0", "layer3.1", "layer4.0", "layer4.1", "fc", "loss">());

void resnet18(benchmark::State& state) {
  auto session = train::session(network, schedule::one_f_one_b(network, micro_batches<4>), train::adamw{}, {.micro_batch = 32},
                                on::threads{.count = static_cast<std::size_t>(state.range(0))});
  std::array<float, 3 * 32 * 32> image{};
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = 2 * nn::random_unit(1, i) - 1;
  const auto steps = feed::synthetic(1, session.samples_per_step(), std::tuple{image, std::uint8_t{3}});
  session(steps.step());
  const std::clock_t begun = std::clock();
  for (auto _ : state) session(steps.step());
  const double processor = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  const auto images = static_cast<double>(state.iterations()) * static_cast<double>(session.samples_per_step());
  state.SetItemsProcessed(static_cast<std::int64_t>(images));
  state.counters["items_per_CPU_second"] = images / processor;
}

BENCHMARK(resnet18)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
