// SPDX-License-Identifier: BSL-1.0
// A factor on the loss, so that small gradients survive in half precision, taken out again before the update. The
// automatic one halves when a gradient overflows, which skips that update, and doubles after a number of updates
// without overflow.
#pragma once

#include <ipuflow/core/light_span.hpp>

#include <cstddef>

namespace ipuflow::train {

/// A factor on the loss, and the rule by which it changes.
struct loss_scale {
  float factor = 1;             ///< at the start, if it is automatic
  bool automatic = false;       ///< halved when a gradient overflows, doubled after `patience` good updates
  std::size_t patience = 2000;  ///< updates without overflow before the factor doubles
};

/// The scale as it is now.
class loss_scaler {
 public:
  explicit loss_scaler(const loss_scale& how) : how_{how}, factor_{how.factor} {}
  /// One that goes on from where another was.
  loss_scaler(const loss_scale& how, float factor, std::size_t good, std::size_t skipped)
      : how_{how}, factor_{factor}, good_{good}, skipped_{skipped} {}

  [[nodiscard]] float factor() const { return factor_; }
  [[nodiscard]] bool automatic() const { return how_.automatic; }
  /// Updates since the last overflow, or since the factor last doubled.
  [[nodiscard]] std::size_t good() const { return good_; }
  /// Updates that were skipped.
  [[nodiscard]] std::size_t skipped() const { return skipped_; }

  /// Takes note of whether the gradients of a run have overflown; says whether they may be used.
  bool accept(bool overflown) {
    if (!how_.automatic) return true;
    if (overflown) {
      if (factor_ > 1) factor_ = factor_ > 2 ? factor_ / 2 : 1;  // one that begins below stays
      good_ = 0;
      ++skipped_;
      return false;
    }
    if (++good_ >= how_.patience) {  // more, if it goes on from where another was
      if (factor_ < most) factor_ *= 2;
      good_ = 0;
    }
    return true;
  }

 private:
  static constexpr float most = 0x1p+64f;

  loss_scale how_;
  float factor_;
  std::size_t good_ = 0;
  std::size_t skipped_ = 0;
};

namespace impl {

/// True if any gradient is infinite or not a number.
template <class = void>
[[nodiscard]] inline bool overflown(light_span<const float> gradients) {
  float sum = 0;
  for (const float g : gradients) sum += g * 0;  // 0 unless g is not finite
  return !(sum == 0);
}

}  // namespace impl

}  // namespace ipuflow::train
