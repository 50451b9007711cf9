// SPDX-License-Identifier: BSL-1.0
// Sixteen layers trained on one simulated chip, with all activations kept and with those between checkpoints made again:
// memory and time of an update.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

// begin: network
template <fixed_string Name>
constexpr auto layers = block<Name>(nn::linear<256>, nn::tanh, nn::linear<256>, nn::tanh,
                                    nn::linear<256>, nn::tanh, nn::linear<256>, nn::tanh, nn::checkpoint);
constexpr auto network = single_stage(input<float, 256>, per_sample<"class", std::uint8_t>,
    layers<"1">, layers<"2">, layers<"3">, layers<"4">,
    block<"classes">(nn::linear<10>, use<"class">(nn::cross_entropy)));
// end: network

int main() {
  std::uint64_t most[2]{}, cycles_of[2]{};
  const auto counted = [&](std::size_t number, const char* what, schedule::recomputation how) {
    // begin: count
    const auto timetable = schedule::sharded(network, micro_batches<4>, how);
    const on::chips chips{.synthetic = true, .share_code = false};  // the copies of code that layers share would be live, too
    const train::session session{network, timetable, train::sgd{}, {.micro_batch = 256}, chips};
    const run::chips_profile cost = session.cost();
    // end: count
    const ipu::memory_report& memory = cost.chips.memory;
    most[number] = *std::max_element(memory.live_by_step.begin(), memory.live_by_step.end());
    cycles_of[number] = cost.chips.total.value;
    std::printf("| %s | %zu | %zu | %zu | %zu |\n", what, static_cast<std::size_t>(cycles_of[number]), static_cast<std::size_t>(most[number]) / 1024,
                static_cast<std::size_t>(*std::max_element(memory.fullest_by_step.begin(), memory.fullest_by_step.end())),
                memory.tiles[memory.fullest].total());
  };
  std::printf("| activations | cycles of an update | live at most, KiB | on the fullest tile, bytes | all of that tile, bytes |\n");
  std::printf("|---|---|---|---|---|\n");
  counted(0, "kept", schedule::recomputation::none);
  counted(1, "made again, segment by segment", schedule::recomputation::and_backpropagate);
  constexpr std::size_t value = 256 * 256 * sizeof(float);
  const std::size_t freed = (most[0] - most[1]) / value;
  std::printf("\n%zu of 16 values of %zu KiB are not live any more: all but 3 at checkpoints and the 4 of a segment\n", freed, value / 1024);
  return freed == 16 - 3 - 4 ? 0 : 1;
}
