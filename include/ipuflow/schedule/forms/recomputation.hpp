// SPDX-License-Identifier: BSL-1.0
// Recomputation of activations: in a pass of its own before the backward pass, so that the backward can begin at once,
// or within the backward pass, piece by piece. The vendor's table says which of the two a schedule can do, and which
// is its default.
#pragma once

#include <ipuflow/schedule/schedule_fault.hpp>

namespace ipuflow::schedule {

/// The operation that makes activations again.
enum class recomputation : unsigned char {
  none,
  automatic,           ///< what suits the schedule
  then_backpropagate,  ///< an operation of all stages but the last, one step before the backward
  and_backpropagate    ///< part of the backward; only this one heeds checkpoints within a stage
};

namespace impl {

/// The recomputation of a schedule that is asked for `asked` and, by itself, does `own`.
[[nodiscard]] constexpr recomputation resolved(recomputation asked, recomputation own) {
  return asked == recomputation::automatic ? own : asked;
}

/// For a schedule that can recompute in one mode only.
constexpr schedule_fault verify_recomputation(recomputation asked, recomputation only) {
  if (asked == recomputation::none || resolved(asked, only) == only) return {};
  return {only == recomputation::then_backpropagate ? schedule_wrong::no_recomputation_within
                                                    : schedule_wrong::no_recomputation_before};
}

}  // namespace impl

}  // namespace ipuflow::schedule
