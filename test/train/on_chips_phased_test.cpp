// SPDX-License-Identifier: BSL-1.0
// Phases on chips: what leaves the chip changes nothing that is learned, but the memory that tiles need, the bytes that are
// streamed, and the time.
#include "chips_check.hpp"

#include <doctest/doctest.h>

namespace on_chips_phased_test {

using namespace ipuflow;
using schedule::liveness;

namespace {

constexpr std::size_t micro_batch_count = 6;

/// The small network on so many chips, a stage a block.
auto phases(liveness live, std::size_t ipus, mode run_for = mode::training) {
  return schedule::tabulate(schedule::phased({ipus, 4 / ipus, micro_batch_count, run_for}, {.live = live}));
}

void print(const char* n, const run::chips_profile& p) {
  const auto& m = p.chips.memory;
  std::printf("%s: cycles %lu fullest %u total %lu | in %lu out %lu\n", n, (unsigned long)p.chips.total.value, m.tiles[m.fullest].total(),
    (unsigned long)m.total(), (unsigned long)p.chips.chips[0].moved.streaming_in, (unsigned long)p.chips.chips[0].moved.streaming_out);
}

}  // namespace

TEST_CASE("print") {
  using enum liveness;
  constexpr auto big = pipeline(
    input<float, 256>, per_sample<"label", std::uint8_t>, block<"a">(nn::linear<256>, nn::relu),
    block<"b">(nn::linear<256>, nn::tanh), block<"c">(nn::linear<256>, nn::gelu),
    block<"d">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  for (std::size_t ipus : {1u, 2u}) for (auto live : {always_live, off_chip_after_forward, off_chip_after_forward_no_overlap, off_chip_after_each_phase}) {
    train::options o; o.micro_batch = 8; o.device_iterations = 2;
    for (std::size_t io : {0u, 4u}) {
      if (io && ipus > 1) continue;
      train::session s{big, phases(live, ipus), train::adamw{}, o, on::chips{.system = test::small_system(ipus), .io_tiles = io}};
      print((std::to_string(ipus) + " " + std::to_string((int)live) + " io" + std::to_string(io)).c_str(), s.cost());
    }
  }
}

}  // namespace on_chips_phased_test
