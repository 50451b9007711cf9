// SPDX-License-Identifier: BSL-1.0
// Options of a run on chips: inputs and outputs, tiles, and the memory in which tensors are kept.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/device/outputs.hpp>
#include <ipuflow/schedule/forms/liveness.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

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
  std::vector<seconds> host_times{};                         ///< of one after the other, again and again, where they differ
  std::size_t io_tiles = 0;                                  ///< set aside on each chip, for transfers beside compute
  waits_for sync = waits_for::all_chips;                     ///< neighbours: stages hand on their values by I/O tiles
  kept_in activations = kept_in::as_scheduled;               ///< where what backward will need waits
  kept_in weights = kept_in::as_scheduled;                   ///< where they are between their uses
  kept_in optimiser_state = kept_in::as_scheduled;           ///< where it is between updates
  kept_in accumulators = kept_in::as_scheduled;              ///< of gradients
  double memory_proportion = 0.6;                            ///< of a tile's memory, for what an operation needs besides its operands
  float loss_gradient = 1;                                   ///< of every sample
  std::uint64_t seed = 42;                                   ///< of what is random in layers
  bool allow_out_of_memory = false;                          ///< the profile then shows what does not fit
};

namespace impl {

/// The options with a memory for each kind of tensor.
constexpr chips_options with_memories(chips_options o, schedule::liveness live) {
  const kept_in usual = live == schedule::liveness::always_live ? kept_in::tiles : kept_in::streaming_memory;
  for (kept_in* const kind : {&o.activations, &o.weights, &o.optimiser_state, &o.accumulators}) {
    if (*kind == kept_in::as_scheduled) *kind = usual;
  }
  return o;
}
}  // namespace impl

/// True if results are sent to the host after a micro-batch of a run; sums are sent at its end.
constexpr bool sent_after(const chips_options& o, std::size_t micro_batches, mode run_for, std::size_t micro_batch) {
  return feed::mode_of({o.outputs, o.period}, run_for) != feed::output_mode::sum &&
         feed::returned_after({o.outputs, o.period}, {.device_iterations = micro_batches, .run_for = run_for}, micro_batch);
}

enum class chips_wrong : unsigned char {
  nothing,
  no_run,
  idle_host,
  no_tiles,
  values_differ,
  elements_differ,
  pass_twice,
  branches_apart,
  io_tiles_all,
  nothing_leaves,
  no_io_tiles,
  no_timetable,
  no_lowering
};

/// Of which stage, and which pass or value there.
struct chips_place {
  std::size_t stage = 0;
  std::size_t index = 0;
  schedule::pass pass = schedule::pass::forward;

  friend constexpr bool operator==(const chips_place&, const chips_place&) = default;
};

using chips_fault = fault<chips_wrong, chips_place>;

template <class = void>
constexpr message_text sentence(const chips_fault& f) {
  switch (f.kind) {
    case chips_wrong::nothing:
      break;
    case chips_wrong::no_run:
      return words(
          "ipuflow: a timetable is run on chips no times, or with no samples or replicas; give at least ",
          f.limit, " of each");
    case chips_wrong::idle_host:
      return words("ipuflow: a run on chips has synthetic data, which no host makes, but a host that takes time for them; leave ",
                   "synthetic out, or host_time and host_times");
    case chips_wrong::no_tiles:
      return words("ipuflow: a timetable is run on chips that have no tiles; give a system, as ipu::pod(ipu::mk2, ", f.limit, ")");
    case chips_wrong::values_differ:
      return words("ipuflow: stage ", f.where.stage, " takes ", f.got,
                   " values on chips, but the stage before hands on ", f.limit,
                   "; lower both from the same pipeline");
    case chips_wrong::elements_differ:
      return words("ipuflow: value ", f.where.index, " that stage ", f.where.stage, " takes has ", f.got,
                   " elements on chips, but the stage before makes ", f.limit,
                   "; lower both for the same samples, in the same type");
    case chips_wrong::pass_twice:
      return words("ipuflow: the ", schedule::name_of(f.where.pass), " of stage ", f.where.stage,
                   " comes twice in step ", f.got,
                   ", but its tiles hold one micro-batch at a time; put it into two steps");
    case chips_wrong::branches_apart:
      return words("ipuflow: the branches of stage ", f.where.stage, " run micro-batch ", f.got,
                   " in different steps; let concurrent stages run together");
    case chips_wrong::io_tiles_all:
      return words("ipuflow: ", f.got, " I/O tiles leave no tile of ", f.limit, " to compute on; set fewer aside");
    case chips_wrong::nothing_leaves:
      return words("ipuflow: phases send their tensors off the chip, but all ", f.got,
                   " kinds of them are to be kept on tiles; take liveness::always_live, or leave one kind as it is scheduled");
    case chips_wrong::no_io_tiles:
      return words("ipuflow: ", f.got, " chips are to wait for neighbours only, but have no I/O tiles to hand values on by; "
                   "set io_tiles, or wait for all_chips");
    case chips_wrong::no_timetable:
      return words("ipuflow: chips are to run something that is no timetable; give what a generator of schedule returns");
    case chips_wrong::no_lowering:
      return words(
          "ipuflow: a run on chips cannot lower its stages with this; give a function of (ipu::graph&, stage, "
          "plan::lowering_options) that returns a plan::lowered");
  }
  return {};
}

}  // namespace ipuflow::run
