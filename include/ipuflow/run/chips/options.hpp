// SPDX-License-Identifier: BSL-1.0
// Options of a run on chips: inputs and outputs, tiles, and the memory in which tensors are kept.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/device/outputs.hpp>
#include <ipuflow/ipu/program/memory_proportions.hpp>
#include <ipuflow/schedule/forms/liveness.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::run {

/// The memory in which a tensor stays while it is not used; as the schedule says: on tiles, unless that sends it off the chip.
enum class kept_in : unsigned char { as_scheduled, tiles, streaming_memory };

/// The chips that a chip waits for: all of them at the end of each step, or those that send it what it needs.
enum class waits_for : unsigned char { all_chips, neighbours };

/// Options of a run on chips.
struct chips_options {
  std::size_t samples = 1;                                   ///< of a micro-batch
  std::size_t replicas = 1;                                  ///< of all chips of the timetable
  std::size_t runs = 1;                                      ///< of the timetable: updates in training
  feed::output_mode outputs = feed::output_mode::automatic;  ///< in training the last micro-batch's, else all
  std::size_t period = 0;                                    ///< of outputs: one for each `period` micro-batches
  bool synthetic = false;                                    ///< nothing comes from the host or goes there
  std::size_t prefetch = 3;                                  ///< micro-batches that the host makes ahead
  seconds host_time{};                                       ///< in which the host makes one
  light_vector<seconds> host_times{};                         ///< of one after the other, again and again, where they differ
  bool asynchronous_loading = false;                         ///< the host makes the first ones of a step while the step before runs
  seconds call_time{};                                       ///< in which the host begins a step, before anything of it runs
  std::size_t io_tiles = 0;                                  ///< set aside on each chip, for transfers beside compute
  waits_for sync = waits_for::all_chips;                     ///< neighbours: stages hand on their values by I/O tiles
  kept_in activations = kept_in::as_scheduled;               ///< where what backward will need waits
  kept_in weights = kept_in::as_scheduled;                   ///< where they are between their uses
  kept_in optimiser_state = kept_in::as_scheduled;           ///< where it is between updates
  kept_in accumulators = kept_in::as_scheduled;              ///< of gradients
  schedule::stage_set recompute{};                           ///< stages that keep what entered, and make the rest again within backward
  ipu::memory_proportions memory_proportion = 0.6;           ///< of a tile's memory, for what an operation needs besides its operands: one, or one for each chip
  bool half_partials = false;                                ///< products of halves are summed in halves: twice as fast, less exact
  bool share_code = true;                                    ///< layers that are alike have one copy of their code
  float loss_gradient = 1;                                   ///< of every sample
  std::uint64_t seed = 42;                                   ///< of what is random in layers
  bool allow_out_of_memory = false;                          ///< the profile then shows what does not fit
  bool checked = false;                                      ///< functional runs look at every access: slowly
};

namespace impl {

/// Gives each kind of tensor a memory.
constexpr void choose_memories(chips_options& o, schedule::liveness live) {
  const kept_in usual = live == schedule::liveness::always_live ? kept_in::tiles : kept_in::streaming_memory;
  for (kept_in* const kind : {&o.activations, &o.weights, &o.optimiser_state, &o.accumulators}) {
    if (*kind == kept_in::as_scheduled) *kind = usual;
  }
}
}  // namespace impl

/// True if results are sent to the host after a micro-batch of a run; sums are sent at its end.
constexpr bool sent_after(const chips_options& o, std::size_t micro_batches, mode run_for, std::size_t micro_batch) {
  return feed::mode_of({o.outputs, o.period}, run_for) != feed::output_mode::sum &&
         feed::returned_after({o.outputs, o.period}, {.device_iterations = micro_batches, .run_for = run_for}, micro_batch);
}

}  // namespace ipuflow::run
