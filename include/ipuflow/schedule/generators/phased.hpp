// SPDX-License-Identifier: BSL-1.0
// Phased: a model too large for its IPUs runs phase by phase, its weights and activations streamed in and out between
// phases. How often they move leaves gaps in the numbering of phases; backward phases count down from the end. With
// parallel phases two groups of IPUs take turns, one loading while the other computes.
#pragma once

#include <ipuflow/schedule/forms/liveness.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/device_generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// Options of the schedule `phased`.
struct phased_options {
  liveness live = liveness::always_live;  ///< when tensors leave the chip
  bool parallel = false;                  ///< two groups of IPUs take turns: one loads while the other computes
  bool separate_backward = false;         ///< the last forward phase is not shared with its backward; always so off chip

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

/// Parallel phases alternate between even and odd IPUs, which not every stride and every placement does.
template <class Where>
constexpr schedule_fault verify_options(const Where& where, const phased_options& options) {
  if (!options.parallel) return {};
  if (options.stride() > 1) return {schedule_wrong::strategy_is_serial};  // all numbers of its phases are even
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    for (std::size_t seat = where.first_seat(stage); seat < where.first_seat(stage + 1); ++seat) {
      const std::size_t ipu = where.ipu_of(seat, 0);
      if (ipu % 2 != stage % 2) return {.kind = schedule_wrong::phase_on_wrong_ipu, .where = {.ipu = ipu, .stage = stage}};
    }
  }
  return {};
}
constexpr recomputation recomputation_of(const phased_options&) { return recomputation::none; }
constexpr std::size_t least_rounds(const phased_options&) { return 1; }

/// One phase at a time, stage for stage, micro-batch for micro-batch. The step of an operation is the number of its
/// phase; where the last forward and its backward share a phase, backward steps come one later.
inline constexpr auto phased = generator<"phased", phased_options>(
    allowed_on_devices{.overlaps = false}, []<class Where>(const Where& where, mode run_for, const phased_options& options) {
      auto t = lines_on(where);
      t.goes = pace::in_turn;
      t.live = options.live;
      const bool shared = options.live == liveness::always_live && !options.separate_backward;
      const step_number end = number(options.backward_phase(0, where.stages) + (shared ? 1 : 0));
      const step_number last = number(options.forward_phase(where.stages - 1));
      const step_number stride = number(options.stride());
      const step_number every = (run_for == mode::training ? end : last) + 1;
      t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = stride, .per_group = every};
      if (run_for == mode::inference) return t;
      t[pass::backward] = {.runs = who::everyone, .at = end, .per_stage = -stride, .per_group = every};
      return t;
    });

}  // namespace ipuflow::schedule
