// SPDX-License-Identifier: BSL-1.0
// A network trained under one schedule, saved, loaded into a pipeline with other stages, and used there.
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <tuple>

using namespace ipuflow;

// begin: network
constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
    stage(block<"in">(nn::linear<16>, nn::tanh)).ipu<0>(),
    stage(block<"middle">(nn::linear<16>, nn::tanh)).ipu<1>(),
    stage(block<"out">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<2>());
// end: network

/// Four numbers; the class is which third their sum falls into.
std::tuple<std::array<float, 4>, std::uint8_t> sample(std::size_t index) {
  std::array<float, 4> x{};
  float sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += x[i] = 2 * nn::random_unit(index, i) - 1;
  return {x, static_cast<std::uint8_t>(sum < -0.5f ? 0 : sum < 0.5f ? 1 : 2)};
}

/// A dataset is anything with a size and an index.
struct made_up {
  static constexpr std::size_t count = 1000;
  std::size_t size() const { return count; }
  std::tuple<std::array<float, 4>, std::uint8_t> operator[](std::size_t index) const { return sample(index); }
};

int main() {
  const made_up samples;
  constexpr auto path = "train_and_use.model";

  // begin: train
  constexpr auto timetable = schedule::grouped(network, micro_batches<6>);
  train::session session{network, timetable, train::adamw{.rate = 1e-2f},
                         {.micro_batch = 8, .device_iterations = 2, .replicas = 2, .outputs = feed::output_mode::all}};
  auto steps = feed::load(samples, session.samples_per_step(), {.shuffle = 1});
  for (int epoch = 0; epoch < 40; ++epoch) {
    for (auto&& step : steps) session(step);
  }
  save(*session.parameters(), path);
  // end: train

  // begin: use
  constexpr auto two_chips = regroup(network, stage<"in">().ipu<0>(), stage<"middle", "out">().ipu<1>());
  auto model = share<train::model<>>(train::initial_model(two_chips, 0));
  load(*model, path);
  auto trained = train::inference(two_chips, schedule::inference(two_chips, micro_batches<10>), model, {.micro_batch = 8});

  train::score score;
  for (auto&& step : feed::load(samples, trained.samples_per_step(), {.last = feed::tail::kept})) {
    auto& [predictions, loss] = trained(step);
    score.add(loss, predictions, std::get<1>(step.columns()).elements());
  }
  // end: use

  std::printf("%zu samples a step, %zu updates\n", session.samples_per_step(), session.updates());
  std::printf("%zu samples used, %s\n", score.samples, score.accuracy() > 95 ? "more than 95 % right" : "not learned");
  std::remove(path);
}
