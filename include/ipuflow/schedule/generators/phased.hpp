// SPDX-License-Identifier: BSL-1.0
// Phased: a model too large for its IPUs runs phase by phase, its weights and activations streamed in and out between
// phases. How often they move leaves gaps in the numbering of phases; backward phases count down from the end. With
// parallel phases two groups of IPUs take turns, one loading while the other computes.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// When tensors leave the chip.
enum class liveness : unsigned char {
  always_live,
  off_chip_after_forward,
  off_chip_after_forward_no_overlap,
  off_chip_after_each_phase
};

struct phased_options {
  liveness live = liveness::always_live;
  bool parallel = false;
  bool separate_backward = false;  ///< the last forward phase is not shared with its backward; always so off chip

  friend constexpr bool operator==(const phased_options&, const phased_options&) = default;

  /// The distance between the numbers of two phases.
  constexpr std::size_t stride() const {
    if (live == liveness::off_chip_after_each_phase) return 4;
    return live == liveness::off_chip_after_forward_no_overlap ? 2 : 1;
  }
  constexpr std::size_t forward_phase(std::size_t phase) const { return phase * stride(); }
  constexpr std::size_t backward_phase(std::size_t phase, std::size_t count) const {
    const std::size_t last = forward_phase(count - 1);
    if (live != liveness::always_live) return 2 * (last + 2) - forward_phase(phase);
    return separate_backward ? 2 * (last + 1) - phase : 2 * last - phase;
  }
  /// The number of phases that the forward part occupies.
  constexpr std::size_t phases(std::size_t count) const {
    const std::size_t extra = live != liveness::always_live ? 3 : separate_backward ? 1 : 0;
    return forward_phase(count - 1) + 1 + extra;
  }
};

/// One phase at a time, stage for stage, micro-batch for micro-batch. The step of an operation is the number of its
/// phase; where the last forward and its backward share a phase, backward steps come one later.
constexpr modular<> phased(const setup& asked, phased_options options = {}) {
  const std::size_t chunks = asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu;
  modular<> t{.where = grid_of(asked, chunks),
              .goes = pace::in_turn,
              .run_for = asked.run_for,
              .refused = verify_setup(asked, {.inference = true})};
  t.span = t.where.stages;
  if (!t.refused && options.parallel && options.live != liveness::always_live &&
      options.live != liveness::off_chip_after_each_phase) {
    t.refused = {schedule_wrong::strategy_is_serial, {}, 0, 0};
  }
  if (!t.refused && options.parallel && asked.ipus % 2 != 0) {  // the first phase to wrap around breaks the parity
    t.refused = {schedule_wrong::phase_on_wrong_ipu, {.ipu = 0, .stage = asked.ipus}, 0, 0};
  }
  const std::size_t last = t.where.stages - 1;
  const bool shared = options.live == liveness::always_live && !options.separate_backward;
  const std::size_t end = options.backward_phase(0, t.where.stages) + (shared ? 1 : 0);
  const bool trains = asked.run_for == mode::training;
  const auto every = static_cast<step_number>((trains ? end : options.forward_phase(last)) + 1);
  const auto stride = static_cast<step_number>(options.stride());
  t.parts[0].hold(0, asked.micro_batches, 1);
  t.parts[0][pass::forward] = {who::everyone, 0, stride, 0, 0, every};
  if (trains) t.parts[0][pass::backward] = {who::everyone, static_cast<step_number>(end), -stride, 0, 0, every};
  return t;
}

}  // namespace ipuflow::schedule
