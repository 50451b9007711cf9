// SPDX-License-Identifier: BSL-1.0
// What a slow host costs on chips: the MNIST network trained on four of them, with hosts that need up to twice the chips' time
// for a micro-batch, and that make up to eight ahead. Prints the time of the chips over that with a host that costs nothing,
// and compares the formula of a queue between two stages, applied to when the chips of that run ask for their samples; then the
// same once more with I/O tiles, which fetch a micro-batch while all passes of the one before run.
#include "mnist_pipeline/network.hpp"
#include "slow_host/two_stages.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>

using formula = double (*)(const run::chips_profile& quick, std::size_t ahead, double host);

void print(std::size_t io_tiles, formula expected) {
  const auto timetable = schedule::grouped(mnist<float>, micro_batches<16>);
  const auto on_chips = [&](std::size_t prefetch, seconds host_time) {
    return train::session{mnist<float>, timetable, train::sgd{}, {.micro_batch = 16, .device_iterations = 8},
                          on::chips{.prefetch = prefetch, .host_time = host_time, .io_tiles = io_tiles}}.cost();
  };
  const run::chips_profile quick = on_chips(1, {});
  const double step = time_of(quick.chips) / (8 * 16);

  std::printf("%zu I/O tiles; a micro-batch takes %.1f us where the host takes no time, and so many times as long where it makes some ahead:\n\n", io_tiles, step * 1e6);
  std::printf("| time of the host, in those | none ahead | 1 | 2 | 3 | 4 | 8 |\n|---|---|---|---|---|---|---|\n");
  double worst = 0;
  for (const double host : {0.0, 0.5, 1.0, 1.5, 2.0}) {
    std::printf("| %.2f |", host);
    for (const std::size_t ahead : {0u, 1u, 2u, 3u, 4u, 8u}) {
      const double simulated = time_of(on_chips(ahead, {host * step}).chips);
      const double calculated = expected(quick, ahead, host * step);
      worst = std::max(worst, simulated / calculated > 1 ? simulated / calculated - 1 : 1 - simulated / calculated);
      std::printf(" %.3f |", simulated / time_of(quick.chips));
    }
    std::printf("\n");
  }
  std::printf("\nthe formula of a queue between two stages is at most %.2f %% away\n", worst * 100);
}

int main() {
  print(0, two_stages);
  std::printf("\n");
  print(32, two_stages_by_io_tiles);
}
