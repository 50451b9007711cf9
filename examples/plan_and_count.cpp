// SPDX-License-Identifier: BSL-1.0
// Plans beside counted runs: networks of the zoo on two chips at two sizes of micro-batches, each planned from chips that were counted
// alone and counted again as a whole. Ends with 1 if a time or a fullest tile is more than a twentieth off.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/planner.hpp>
#include <ipuflow/zoo/efficientnet.hpp>
#include <ipuflow/zoo/resnet.hpp>
#include <ipuflow/zoo/transformers.hpp>
#include <ipuflow/zoo/vgg.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

namespace {

constexpr zoo::transformer small{.layers = 4, .width = 128, .heads = 4, .vocabulary = 1000, .positions = 64};
constexpr std::size_t positions = 32;
using number = tensor<std::uint8_t, positions>;
using next = tensor<std::int32_t, positions>;

template <class Image, class Network>
constexpr auto of_images(const Image& image, const Network& network) {
  return single_stage(image, per_sample<"class", std::int32_t>, network, block<"loss">(use<"class">(nn::cross_entropy)));
}
constexpr auto resnet18 = of_images(input<float, 3, 32, 32>, zoo::resnet18<10, zoo::stem::small_images>);
constexpr auto efficientnet = of_images(input<float, 3, 64, 64>, zoo::efficientnet_b0<10>);
constexpr auto vgg16 = of_images(input<float, 3, 32, 32>, zoo::vgg16<10>);
constexpr auto bert = single_stage(input<std::uint16_t, positions>, per_sample<"segment", number>, per_sample<"text", number>,
                                   per_sample<"masked", next>, zoo::bert<small>, zoo::bert_tokens<small>,
                                   block<"loss">(use<"masked">(nn::cross_entropy_of<{.ignored = -1}>)));
constexpr auto gpt = single_stage(input<std::uint16_t, positions>, per_sample<"next", next>, zoo::gpt2<small>, zoo::gpt2_tokens<small>,
                                  block<"loss">(use<"next">(nn::cross_entropy_of<{.ignored = -1}>)));

double off(double planned, double counted) { return 100 * (planned / counted - 1); }

/// The largest error of one network, in per cent.
template <class Network>
double compare(const char* name, const Network& network) {
  train::planner planner(ipu::mk2, {train::planned(network, plan::numbers::f32_32, train::adamw{})});
  double worst = 0;
  for (const std::size_t samples : {std::size_t{2}, std::size_t{4}}) {
    plan::configuration c{.ipus = 2, .micro_batch = samples, .accumulation = 32};
    c.cuts = planner.balanced(c).cuts;
    const plan::prediction planned = planner(c);
    const ipu::profile counted = planner.counted(c).chips;
    const double time = off(static_cast<double>(planned.total.value), static_cast<double>(counted.total.value));
    double memory = 0;
    for (std::size_t chip = 0; chip < 2; ++chip) {
      std::size_t most = 0;
      for (std::size_t t = 0; t < counted.tiles_per_chip; ++t)
        most = std::max(most, counted.memory.tiles[chip * counted.tiles_per_chip + t].total());
      const double here = off(static_cast<double>(planned.memory[chip].bytes.total()), static_cast<double>(most));
      if (std::abs(here) > std::abs(memory)) memory = here;
    }
    worst = std::max({worst, std::abs(time), std::abs(memory)});
    std::printf("%-12s %zu samples: %9llu cycles, counted %9llu (%+.2f %%); fullest tiles %+.2f %%\n", name, samples,
                static_cast<unsigned long long>(planned.total.value), static_cast<unsigned long long>(counted.total.value), time, memory);
  }
  return worst;
}

}  // namespace

int main() {
  const double worst = std::max({compare("ResNet-18", resnet18), compare("EfficientNet", efficientnet), compare("VGG-16", vgg16),
                                 compare("BERT", bert), compare("GPT-2", gpt)});
  return worst < 5 ? 0 : 1;
}
