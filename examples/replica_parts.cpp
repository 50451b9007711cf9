// SPDX-License-Identifier: BSL-1.0
// Five layers on four replicas of one simulated chip, trained with Adam: what a replica keeps of weights, gradients and the
// optimiser's state, all or its part, in memory and in bytes between replicas.
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

constexpr auto network = single_stage(input<float, 1024>, per_sample<"class", std::uint8_t>,
    block<"layers">(nn::linear<1024>, nn::relu, nn::linear<1024>, nn::relu, nn::linear<1024>, nn::relu,
                    nn::linear<1024>, nn::relu, nn::linear<1024>, nn::relu),
    block<"classes">(nn::linear<10>, use<"class">(nn::cross_entropy)));

/// Prints one line; gives the bytes that stay on the chip from one layer to the next.
std::uint64_t counted(const char* what, const train::options& options) {
  // begin: cost
  const auto timetable = schedule::sharded(network, micro_batches<4>);
  const train::session session{network, timetable, train::adamw{}, options, on::chips{.synthetic = true}};
  const run::chips_profile cost = session.cost();
  // end: cost
  const ipu::memory_report& memory = cost.chips.memory;
  const std::uint64_t kept = memory.total(ipu::memory_category::always_live);
  const std::uint64_t most = *std::max_element(memory.live_by_step.begin(), memory.live_by_step.end());
  constexpr double mib = 1 << 20;
  std::printf("| %s | %.1f | %.1f | %.1f | %.2f |\n", what, static_cast<double>(kept) / mib, static_cast<double>(kept + most) / mib,
              static_cast<double>(cost.chips.chips[0].moved.chip_out) / mib, static_cast<double>(cost.chips.total.value) / cost.chips.clock.value * 1e3);
  return kept;
}

int main() {
  std::printf("| in parts | kept, MiB | and live at most, MiB | sent to the next replica, MiB | an update, ms |\n");
  std::printf("|---|---|---|---|---|\n");
  // begin: options
  const train::options whole{.micro_batch = 64, .replicas = 4};
  const train::options state{.micro_batch = 64, .replicas = 4, .shard_optimiser = true, .shard_at_least = 1024};
  const train::options gradients{.micro_batch = 64, .replicas = 4, .shard_gradients = true, .shard_at_least = 1024};
  const train::options weights{.micro_batch = 64, .replicas = 4, .shard_weights = true, .shard_at_least = 1024};
  const train::options both{.micro_batch = 64, .replicas = 4, .shard_gradients = true, .shard_weights = true, .shard_at_least = 1024};
  // end: options
  const std::uint64_t most = counted("nothing", whole);
  counted("state", state);
  counted("gradients, state", gradients);
  counted("weights, state", weights);
  const std::uint64_t least = counted("weights, gradients, state", both);
  std::printf("\na quarter of everything is kept: %s\n", 4 * least < most + most / 100 ? "yes" : "no");
  return 4 * least < most + most / 100 ? 0 : 1;
}
