// SPDX-License-Identifier: BSL-1.0
// A factor on the loss, so that small gradients survive in half precision, taken out again before the update. The automatic
// one halves when a gradient overflows, which skips that update, and doubles after a number of updates without overflow.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace ipuflow::train {

struct loss_scale {
  float factor = 1;
  bool automatic = false;
  std::size_t patience = 2000;  ///< updates without overflow before the factor doubles
  std::size_t good = 0;

  /// After the gradients of a run are known: whether they may be used for an update.
  bool accept(bool overflowed) {
    if (!automatic) return true;
    if (overflowed) {
      factor = factor > 2 ? factor / 2 : 1;
      good = 0;
      return false;
    }
    if (++good == patience) {
      factor *= 2;
      good = 0;
    }
    return true;
  }
};

/// Whether any gradient is infinite or not a number.
inline bool overflowed(std::span<const float> gradients) {
  float sum = 0;
  for (const float g : gradients) sum += g * 0;  // 0 unless g is not finite
  return !(sum == 0);
}

}  // namespace ipuflow::train
