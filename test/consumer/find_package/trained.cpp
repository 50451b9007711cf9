// SPDX-License-Identifier: BSL-1.0
// Trains a little network. This file is compiled three times, header-only and twice against ipuflow::compiled, under three names.
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

using namespace ipuflow;

std::vector<float> TRAINED() {
  static constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                           stage(block<"a">(nn::linear<8>, nn::tanh)).ipu<0>(),
                                           stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
  std::vector<std::tuple<std::array<float, 4>, std::uint8_t>> samples;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto x = static_cast<float>(i % 16) / 16;
    samples.push_back({{x, 1 - x, x * x, 0.5f}, static_cast<std::uint8_t>(i % 3)});
  }
  train::session session{network, schedule::grouped(network, micro_batches<4>), train::adamw{}, {.micro_batch = 4}};
  for (auto&& step : feed::load(samples, session.samples_per_step())) session(step);
  return session.parameters()->values;
}
