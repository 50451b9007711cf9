// SPDX-License-Identifier: BSL-1.0
// One step on host threads and the same one on simulated chips: what they learn, and what it costs there.
#include <ipuflow/chips.hpp>
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <tuple>

using namespace ipuflow;

// begin: bytes
constexpr auto network = pipeline(input<std::uint8_t, 1, 12, 12>, per_sample<"class", std::uint8_t>,
    stage(block<"see">(nn::normalise<0.5, 0.25>, nn::conv2d<8, 3>, nn::batch_norm, nn::relu)).ipu<0>(),
    stage(block<"say">(nn::flatten, nn::linear<4>, use<"class">(nn::cross_entropy))).ipu<1>());
static_assert(stages(network)[0].input_bytes == 144_B + 1_B);  // of a sample, and what the host sends of it
// end: bytes

/// An image with a bright quarter; the class is which.
struct made_up {
  std::size_t size() const { return 512; }
  std::tuple<std::array<std::uint8_t, 144>, std::uint8_t> operator[](std::size_t index) const {
    const auto which = static_cast<std::uint8_t>(nn::random_bits(1, index) % 4);
    std::array<std::uint8_t, 144> image{};
    for (std::size_t i = 0; i < image.size(); ++i)
      image[i] = static_cast<std::uint8_t>(nn::random_bits(index + 2, i) % 128 + (i / 72 * 2 + i % 12 / 6 == which ? 127 : 0));
    return {image, which};
  }
};

int main() {
  const made_up samples;
  // begin: sessions
  constexpr auto timetable = schedule::grouped(network, micro_batches<8>);
  const train::options options{.micro_batch = 4, .outputs = feed::output_mode::all};
  train::session threads{network, timetable, train::adamw{.rate = 1e-2f}, options, on::threads{}};
  train::session tiles{network, timetable, train::adamw{.rate = 1e-2f}, options, on::chips{.system = ipu::pod(ipu::mk2, 2)}};

  double farthest = 0;
  for (auto&& step : feed::load(samples, tiles.samples_per_step(), {.shuffle = 1})) {
    auto& [predictions, loss] = threads(step);
    auto& [simulated, simulated_loss] = tiles(step);
    farthest = std::fmax(farthest, std::abs(train::mean_of(loss) - train::mean_of(simulated_loss)));
  }
  // end: sessions

  // begin: cost
  const run::chips_profile cost = tiles.cost();
  const on::chips away{.system = ipu::pod(ipu::mk2, 2), .optimiser_state = run::kept_in::streaming_memory};
  const run::chips_profile offloaded = train::session{network, timetable, train::adamw{}, options, away}.cost();
  // end: cost
  const auto kept = [](const run::chips_profile& p) { return p.chips.memory.total(ipu::memory_category::always_live); };
  std::printf("%zu updates; losses are the same to %s\n", tiles.updates(), farthest < 1e-4 ? "four digits" : "nothing");
  std::printf("an update takes %zu cycles, counted; %s as the run has metered\n", cost.chips.total.value,
              tiles.profile().chips == cost.chips ? "exactly" : "not");
  std::printf("optimiser off the chips: %zu bytes less, %zu cycles more\n", kept(cost) - kept(offloaded),
              offloaded.chips.total.value - cost.chips.total.value);
  std::printf("the host sends %llu bytes a sample, with its class in a word\n",
              static_cast<unsigned long long>(cost.chips.chips[0].moved.host_in / tiles.samples_per_step()));
  return farthest < 1e-4 ? 0 : 1;
}
