// SPDX-License-Identifier: BSL-1.0
// All that is chosen when a network is put onto chips, as one value: its stages, its schedule, its sizes, its numbers, and where
// tensors are kept.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/ipu/program/memory_proportions.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::plan {

/// The types of data and of trained numbers, as the vendor's scripts say them: "16.32" has data of halves and weights of floats.
enum class numbers : unsigned char { f32_32, f16_32, f16_16 };

[[nodiscard]] constexpr std::string_view name_of(numbers n) {
  constexpr std::string_view names[] = {"32.32", "16.32", "16.16"};
  return names[static_cast<std::size_t>(n)];
}

/// The name of the schedule that is searched for.
inline constexpr std::string_view search = "search";

/// A network on chips.
struct configuration {
  light_vector<std::size_t> cuts{};        ///< first block of each stage but the first
  std::string schedule = "1f1b";          ///< a name of the catalogue, "popart", or "search" for the best one
  mode run_for = mode::training;          ///< or inference: forward passes alone, with a schedule that has a form of it; all results are sent
  std::size_t ipus = 1;                   ///< of a replica
  std::size_t replicas = 1;               ///< of the whole pipeline
  std::size_t micro_batch = 1;            ///< samples
  std::size_t accumulation = 1;           ///< micro-batches between two updates of a replica
  std::size_t device_iterations = 1;      ///< updates in a step
  numbers precision = numbers::f32_32;    ///< of data and weights
  bool bytes_in = false;                  ///< images come as bytes and are converted on tiles
  schedule::stage_set recompute{};        ///< stages that keep what entered, and make the rest again
  bool half_partials = false;             ///< products of halves are summed in halves
  bool limits_gradients = false;          ///< those of all stages together have a longest length: `max_grad_norm` of a session
  bool automatic_loss_scale = false;      ///< it follows overflows
  bool optimiser_off_chip = false;        ///< its state is in streaming memory
  bool weights_off_chip = false;          ///< they are in streaming memory between their uses
  bool accumulators_off_chip = false;     ///< sums of gradients, too
  bool activations_off_chip = false;      ///< what waits for a backward pass, too
  bool shard_optimiser = false;           ///< each replica keeps its part of the optimiser's state
  bool shard_gradients = false;           ///< and of the sums of gradients
  bool shard_weights = false;             ///< and of the weights
  std::size_t io_tiles = 0;               ///< set aside on each chip
  bool waits_for_neighbours = false;      ///< chips wait only for those that they exchange with, by way of I/O tiles
  std::size_t prefetch = 3;               ///< micro-batches that the host makes ahead
  ipu::memory_proportions memory_proportion = 0.6;  ///< of a tile's memory, for what an operation needs besides its operands: one, or one for each IPU
  seconds host_time{};                    ///< in which the host makes a micro-batch
  bool asynchronous_loading = false;      ///< the host makes the first ones of a step while the step before runs
  seconds call_time{};                    ///< in which the host begins a step

  [[nodiscard]] std::size_t chips() const { return ipus * replicas; }
  /// Other sizes: the host makes the micro-batches of all replicas, and takes as long for a sample as it did.
  void resize(std::size_t samples, std::size_t copies) {
    const auto before = static_cast<double>(micro_batch * replicas), after = static_cast<double>(samples * copies);
    if (before > 0) host_time.value *= after / before;
    micro_batch = samples, replicas = copies;
  }
  [[nodiscard]] std::size_t samples_per_step() const { return micro_batch * accumulation * replicas * device_iterations; }
  friend bool operator==(const configuration&, const configuration&) = default;
};

}  // namespace ipuflow::plan
