// SPDX-License-Identifier: BSL-1.0
// 8-bit samples as real numbers, at the place where they are consumed: what travels has a quarter of the bytes.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::feed {

/// A pixel of 0 ... 255 as (pixel / 255 - mean) / deviation: a transform for single pixels, spans and views.
class pixels {
 public:
  constexpr explicit pixels(float mean = 0.0f, float deviation = 1.0f)
      : scale_{1.0f / (255.0f * deviation)}, shift_{-mean / deviation} {}

  constexpr float operator()(std::uint8_t pixel) const { return static_cast<float>(pixel) * scale_ + shift_; }

  /// Converts as many as both hold.
  constexpr void operator()(light_span<const std::uint8_t> from, light_span<float> into) const {
    const std::size_t count = algorithms::min(from.size(), into.size());
    for (std::size_t i = 0; i < count; ++i) into[i] = (*this)(from[i]);
  }

 private:
  float scale_;
  float shift_;
};

}  // namespace ipuflow::feed
