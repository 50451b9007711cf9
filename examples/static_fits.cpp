// SPDX-License-Identifier: BSL-1.0
// A network that the compiler proves to fit its chips: the bound of the fullest tile of each, by use, as the static_assert has it.
// begin: whole
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/bounds/verify_fits.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

using namespace ipuflow;

constexpr auto network = pipeline(input<half, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
    stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu),
          block<"B3">(nn::flatten, nn::linear<256>, nn::relu),
          block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());
constexpr auto step = schedule::one_f_one_b(training(network), micro_batches<16>);

using halves = train::precision<float, half, half>;  // weights and the sums of their gradients are halves, as data are
constexpr train::sgd sgd{.momentum = 0.9f};
static_assert(accept<train::verify_fits<halves>(network, step, sgd, {.micro_batch = 64})>());

int main() {
  train::bound_options asked{.micro_batch = 64};
  const auto chips = train::memory_bounds<halves>(network, step, sgd, asked);
  for (std::size_t use = 0; use < plan::memory_uses; ++use)
    std::printf("%-16s %6zu %6zu\n", std::string(name_of(static_cast<plan::memory_use>(use))).c_str(), std::size_t{chips[0].by_use[use]}, std::size_t{chips[1].by_use[use]});
  std::printf("%-16s %6zu %6zu\n", "at most", std::size_t{chips[0].total()}, std::size_t{chips[1].total()});
  asked.micro_batch = 16'384;
  const train::bound_fault wrong = train::verify_fits<halves>(network, step, sgd, asked);
  std::printf("%s\n", std::string(sentence(wrong).view()).c_str());
}
// end: whole
