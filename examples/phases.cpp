// SPDX-License-Identifier: BSL-1.0
// A network for pictures that is too large for an eighth of a chip, trained there phase by phase: what each liveness makes of the
// memory of tiles, of the bytes that are streamed and of the time. Nothing is run; a step is counted.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;
using enum schedule::liveness;

// begin: network
constexpr auto network = pipeline(input<float, 3, 32, 32>, per_sample<"label", std::uint8_t>,
    block<"1">(nn::conv2d<32, 3, 1, 1>, nn::relu), block<"2">(nn::conv2d<32, 3, 1, 1>, nn::relu, nn::max_pool<2>),
    block<"3">(nn::conv2d<64, 3, 1, 1>, nn::relu), block<"4">(nn::conv2d<64, 3, 1, 1>, nn::relu, nn::max_pool<2>),
    block<"5">(nn::conv2d<128, 3, 1, 1>, nn::relu), block<"6">(nn::conv2d<128, 3, 1, 1>, nn::relu, nn::max_pool<2>),
    block<"7">(nn::conv2d<256, 3, 1, 1>, nn::relu),
    block<"8">(nn::max_pool<4>, nn::flatten, nn::linear<10>, use<"label">(nn::cross_entropy)));
// end: network

/// So that counting takes seconds.
ipu::architecture eighth_of_mk2() {
  ipu::architecture made = ipu::mk2;
  made.tiles /= 8;
  return made;
}

void print(const char* what, std::size_t ipus, const schedule::phased_options& options, std::size_t io_tiles = 0) {
  // begin: cost
  const auto timetable = schedule::phased({.ipus = ipus, .stages_per_ipu = 8 / ipus, .micro_batches = 8}, options);
  const on::chips chips{.system = ipu::pod(eighth_of_mk2(), ipus), .io_tiles = io_tiles, .allow_out_of_memory = true};
  const run::chips_profile cost = train::session{network, timetable, train::adamw{}, {.micro_batch = 80}, chips}.cost();
  // end: cost
  const ipu::memory_report& memory = cost.chips.memory;
  std::uint64_t streamed = 0;
  for (const ipu::chip_profile& c : cost.chips.chips) streamed += c.moved.streaming_in + c.moved.streaming_out;
  const double milliseconds = static_cast<double>(cost.chips.total.value) / cost.chips.clock.value * 1e3;
  constexpr double mebibyte = 1 << 20;
  std::printf("| %s | %zu | %.0f | %.0f | %.0f | %.1f |\n", what, ipus,
              static_cast<double>(memory.tiles[memory.fullest].total()) / 1024, static_cast<double>(memory.total()) / mebibyte,
              static_cast<double>(streamed) / mebibyte, milliseconds);
}

int main() {
  std::printf("| liveness | chips | fullest tile, KiB of %.0f | all tiles, MiB | streamed, MiB | a step, ms |\n",
              static_cast<double>(ipu::mk2.tile_memory.value) / 1024);
  std::printf("|---|---|---|---|---|---|\n");
  print("always_live", 1, {});
  print("off_chip_after_forward", 1, {.live = off_chip_after_forward});
  print("the same with 48 I/O tiles", 1, {.live = off_chip_after_forward}, 48);
  print("off_chip_after_forward_no_overlap", 1, {.live = off_chip_after_forward_no_overlap});
  print("off_chip_after_each_phase", 1, {.live = off_chip_after_each_phase});
  print("off_chip_after_forward_no_overlap", 2, {.live = off_chip_after_forward_no_overlap});
  print("off_chip_after_forward, parallel", 2, {.live = off_chip_after_forward, .parallel = true});
}
