// SPDX-License-Identifier: BSL-1.0
// The end of what a stage keeps for a micro-batch: counts of kept values, depths and verification ask for one of these.
// Which pass ends it depends on whether the backward is split.
#pragma once

#include <ipuflow/schedule/op.hpp>

namespace ipuflow::schedule {

/// The end of the life of a forward's result.
enum class until : unsigned char {
  last_use,         ///< the whole backward, or the gradient for weights where the backward is split
  backward_inputs,  ///< the backward that the stage before waits for
  recompute         ///< the recomputation of the forward: what is kept is its inputs only
};

/// True if a pass ends such a life.
[[nodiscard]] constexpr bool ends(until life, pass kind) {
  switch (life) {
    case until::last_use:
      return kind == pass::backward || kind == pass::backward_weights;
    case until::backward_inputs:
      return is_backward(kind);
    default:
      return kind == pass::recompute;
  }
}

}  // namespace ipuflow::schedule
