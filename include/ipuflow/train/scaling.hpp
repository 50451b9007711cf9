// SPDX-License-Identifier: BSL-1.0
// The scaling of inputs that come as integers.
// It is applied where a micro-batch is made of them, so they travel as bytes.
#pragma once

namespace ipuflow::train {

/// The scaling by which integers become the real numbers that they stand for: x * scale + shift.
struct scaling {
  float scale = 1;  ///< factor
  float shift = 0;  ///< added behind

  /// Of 8-bit pixels: (x / 255 - mean) / deviation.
  [[nodiscard]] static constexpr scaling of_pixels(float mean, float deviation) {
    return {1 / (255 * deviation), -mean / deviation};
  }
  [[nodiscard]] bool changes() const { return scale != 1 || shift != 0; }
};

}  // namespace ipuflow::train
