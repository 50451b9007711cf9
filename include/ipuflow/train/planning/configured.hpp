// SPDX-License-Identifier: BSL-1.0
// A configuration as a session says it: its options, its back end, and the types of its numbers.
#pragma once

#include <ipuflow/plan/predict/configuration.hpp>
#include <ipuflow/train/chips/cut_network.hpp>

namespace ipuflow::train::impl {

[[nodiscard]] inline ipu::chip_system system_of(const plan::configuration& c, const ipu::architecture& chip) {
  return ipu::pod(chip, chips_needed(c.ipus, c.replicas));
}

[[nodiscard]] inline options options_of(const plan::configuration& c) {
  return {.micro_batch = c.micro_batch,
          .device_iterations = c.device_iterations,
          .replicas = c.replicas,
          .parameters = c.precision == plan::numbers::f16_16 ? rounding::stochastic : rounding::nearest,
          .shard_optimiser = c.shard_optimiser,
          .shard_gradients = c.shard_gradients,
          .shard_weights = c.shard_weights};
}

[[nodiscard]] inline on::chips chips_of(const plan::configuration& c, const ipu::architecture& chip) {
  const auto kept = [](bool off) { return off ? run::kept_in::streaming_memory : run::kept_in::as_scheduled; };
  return {.system = system_of(c, chip),
          .prefetch = c.prefetch,
          .host_time = c.host_time,
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

}  // namespace ipuflow::train::impl
