// SPDX-License-Identifier: BSL-1.0
// The smallest training: a network of two stages learns in which quarter of the plane a point is. Prints the loss of epochs.
// begin: whole
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

constexpr auto network = pipeline(input<float, 2>, per_sample<"quarter", std::uint8_t>,
    stage(block<"in">(nn::linear<16>, nn::tanh)).ipu<0>(),
    stage(block<"out">(nn::linear<4>, use<"quarter">(nn::cross_entropy))).ipu<1>());

struct points {  // a dataset: a size and an index
  std::size_t size() const { return 1024; }
  std::tuple<std::array<float, 2>, std::uint8_t> operator[](std::size_t index) const {
    const float x = 2 * nn::random_unit(index, 0) - 1, y = 2 * nn::random_unit(index, 1) - 1;
    return {{x, y}, static_cast<std::uint8_t>((x > 0 ? 1 : 0) + (y > 0 ? 2 : 0))};
  }
};

int main() {
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<4>);
  train::session session{network, timetable, train::adam{.rate = 1e-2f}, {.micro_batch = 8}};
  auto steps = feed::load(points{}, session.samples_per_step(), {.shuffle = 1});
  for (int epoch = 1; epoch <= 10; ++epoch) {
    double loss = 0;
    for (auto&& step : steps) {
      auto& [scores, losses] = session(step);
      loss += train::mean_of(losses) / static_cast<double>(steps.size());
    }
    if (epoch == 1 || epoch == 10) std::printf("epoch %d: loss %.2f\n", epoch, loss);
  }
}
// end: whole
