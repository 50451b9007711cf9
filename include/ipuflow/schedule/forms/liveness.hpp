// SPDX-License-Identifier: BSL-1.0
// The time at which the tensors of a phase leave the chip: weights, activations that the backward reads, and accumulated gradients. A
// timetable carries it to the run, which makes loads and stores of it; what a schedule says by itself, options may change.
#pragma once

namespace ipuflow::schedule {

/// The time at which tensors leave the chip.
enum class liveness : unsigned char {
  always_live,                        ///< never
  off_chip_after_forward,             ///< beside the compute of the phases before and behind, where there are means for it
  off_chip_after_forward_no_overlap,  ///< in slots of their own
  off_chip_after_each_phase           ///< so does what one phase hands to the next
};

}  // namespace ipuflow::schedule
