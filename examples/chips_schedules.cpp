// SPDX-License-Identifier: BSL-1.0
// Schedules on four simulated chips: what they take where all chips end a step together, what they take where a chip waits
// only for the neighbours that hand it something, and what the analysis of schedules says of the same passes and messages.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

using namespace ipuflow;

/// The stage in the middle stands for all of them, so that they are equal.
constexpr auto network = pipeline(input<half, 1024>,
    stage(block<"first">(nn::linear<1024>)).ipu<0>(),
    stage(block<"middle">(nn::linear<1024>, nn::relu, nn::linear<1024>, nn::relu)).ipu<1>(),
    stage(block<"last">(nn::linear<1024>)).ipu<2>());

constexpr std::size_t rows = 32;

int main() {
  const auto lower = [](ipu::graph& g, std::size_t, const plan::lowering_options& o) {
    return nn::lower_stage<1>(network, g, o);
  };
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 320;  // fewer are quicker to lay out
  const ipu::chip_system system = ipu::pod(chip, 4);
  const std::vector<ipu::chip_transfer> one{{0, 1, bytes{rows * 1024 * sizeof(half)}}};
  const std::size_t message = ipu::transfer_time(system, one).value;
  std::printf("a message between stages: %zu cycles\n\n", message);
  std::printf("| schedule | all chips together | neighbours | analysis | difference |\n|---|---|---|---|---|\n");
  double furthest = 0;
  std::size_t grouped = 0, zero_bubble = 0;
  for (const std::string_view name : schedule::schedule_names) {
    const schedule::setup asked{4, 0, 32, name == "inference" ? mode::inference : mode::training};
    schedule::with_schedule(name, asked, [&](const auto& timetable) {
      if (timetable.refused) return;
      // begin: free
      const run::chips_options together{.samples = rows, .synthetic = true};
      const run::chips_options freely{.samples = rows, .synthetic = true, .io_tiles = 16, .sync = run::waits_for::neighbours};
      const run::chips_profile in_step = run::on_chips(timetable, system, lower, together).cost();
      const run::chips_profile free = run::on_chips(timetable, system, lower, freely).cost();
      const std::size_t expected = schedule::makespan(timetable, run::costs_in(free, timetable, message));
      // end: free
      const double difference = 100 * (static_cast<double>(free.chips.total.value) / static_cast<double>(expected) - 1);
      furthest = std::fmax(furthest, std::abs(difference));
      if (name == "grouped") grouped = free.chips.total.value;
      if (name == "zb1p") zero_bubble = free.chips.total.value;
      std::printf("| %s | %zu | %zu | %zu | %+.2f %% |\n", std::string{name}.c_str(), in_step.chips.total.value, free.chips.total.value,
                  expected, difference);
    });
  }
  std::printf("\nat most 3 %% from the analysis: %s; zb1p is not slower than grouped: %s\n", furthest <= 3 ? "yes" : "no",
              zero_bubble <= grouped ? "yes" : "no");
  return furthest <= 3 && zero_bubble <= grouped ? 0 : 1;
}
