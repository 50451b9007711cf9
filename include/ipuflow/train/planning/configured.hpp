// SPDX-License-Identifier: BSL-1.0
// A configuration as a session says it, its options, its back end and the types of its numbers, and what of it the programs of chips depend
// on.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/configuration.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>
#include <ipuflow/train/chips/cut_network.hpp>

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::train::impl {

[[nodiscard]] inline ipu::chip_system system_of(const plan::configuration& c, const ipu::architecture& chip) {
  return ipu::pod(chip, chips_needed(c.ipus, c.replicas));
}

[[nodiscard]] inline options options_of(const plan::configuration& c) {
  return {.micro_batch = c.micro_batch,
          .device_iterations = c.device_iterations,
          .replicas = c.replicas,
          .scale = {.automatic = c.automatic_loss_scale},
          .parameters = c.precision == plan::numbers::f16_16 ? rounding::stochastic : rounding::nearest,
          .max_grad_norm = c.limits_gradients ? 1 : std::numeric_limits<float>::infinity(),
          .recompute = c.recompute,
          .shard_optimiser = c.shard_optimiser,
          .shard_gradients = c.shard_gradients,
          .shard_weights = c.shard_weights};
}

[[nodiscard]] inline on::chips chips_of(const plan::configuration& c, const ipu::architecture& chip) {
  const auto kept = [](bool off) { return off ? run::kept_in::streaming_memory : run::kept_in::as_scheduled; };
  return {.system = system_of(c, chip),
          .prefetch = c.prefetch,
          .host_time = c.host_time,
          .asynchronous_loading = c.asynchronous_loading,
          .call_time = c.call_time,
          .io_tiles = c.io_tiles,
          .sync = c.waits_for_neighbours ? run::waits_for::neighbours : run::waits_for::all_chips,
          .activations = kept(c.activations_off_chip),
          .weights = kept(c.weights_off_chip),
          .optimiser_state = kept(c.optimiser_off_chip),
          .accumulators = kept(c.accumulators_off_chip),
          .memory_proportion = c.memory_proportion,
          .half_partials = c.half_partials,
          .allow_out_of_memory = true};
}

[[nodiscard]] inline number_types numbers_of(const plan::configuration& c) {
  const auto type = c.precision == plan::numbers::f16_16 ? ipu::element_type::f16 : ipu::element_type::f32;
  return {type, type};
}

/// All that the program of a chip depends on.
struct chip_question {
  light_vector<std::size_t> words{};

  friend auto operator<=>(const chip_question&, const chip_question&) = default;
};

/// The part of a question that all chips of a configuration share, with the memory that operations may take on them.
template <class = void>
[[nodiscard]] chip_question question_of(const plan::configuration& c, std::size_t network, const ipu::memory_proportions& memory) {
  chip_question asked;
  const auto add = [&](auto... n) { (asked.words.push_back(static_cast<std::size_t>(n)), ...); };
  add(network, c.run_for, c.micro_batch, c.replicas, c.half_partials, c.io_tiles, c.waits_for_neighbours);
  for (const double share : memory.given()) add(std::bit_cast<std::uint64_t>(share));
  add(c.optimiser_off_chip, c.weights_off_chip, c.accumulators_off_chip, c.activations_off_chip, c.shard_optimiser, c.shard_gradients, c.shard_weights);
  add(c.limits_gradients, c.automatic_loss_scale);
  add(algorithms::min(c.accumulation, 4 * c.ipus));  // few micro-batches are no loop, and variables live longer in one
  return asked;
}

/// The part of the other chips: where all stages are told of all gradients before their updates, each chip depends on the places of those
/// that tell something.
template <class = void>
[[nodiscard]] light_vector<std::size_t> told_question_of(const plan::configuration& c, const cut_network& of, const plan::schedule_steps& steps) {
  light_vector<std::size_t> asked;
  if (!c.limits_gradients && !c.automatic_loss_scale) return asked;
  for (std::size_t s = 0; s < steps.stages; ++s)
    asked.push_back(of.trains(s)), asked.push_back(steps.ipu_of[s]), asked.push_back(steps.other_ipu_of[s]);
  return asked;
}

/// The part of a host in which schedule is the fastest: none, where it takes no time.
template <class = void>
[[nodiscard]] light_vector<std::size_t> host_question_of(const plan::configuration& c) {
  if (c.host_time == seconds{}) return {};
  return {std::bit_cast<std::uint64_t>(c.host_time.value), c.prefetch, c.asynchronous_loading, c.device_iterations};
}

}  // namespace ipuflow::train::impl
