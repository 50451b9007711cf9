// SPDX-License-Identifier: BSL-1.0
// Mean and variance as normalisation uses them, on the host and on tiles, and the constants of that: PyTorch's.
#pragma once

#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// Added to every variance.
inline constexpr double norm_epsilon = 1e-5;
/// The share of a running statistic that is replaced by that of a new micro-batch.
inline constexpr double norm_momentum = 0.1;

/// `V`: lanes of samples, or a float.
template <class V>
struct moments {
  V mean;
  V variance;
  V inverse;  // one over the deviation

  moments(const V& of_mean, const V& of_variance)
      : mean{of_mean}, variance{of_variance}, inverse{constant<V>(1) / math::sqrt(of_variance + constant<V>(norm_epsilon))} {}

  [[gnu::always_inline]] V normal(const V& x) const { return (x - mean) * inverse; }
};

/// Scales of one, shifts of zero.
template <class T>
constexpr void initialise_norm(std::size_t scales, T* values) {
  for (std::size_t i = 0; i < scales; ++i) {
    values[i] = static_cast<T>(1.0f);
    values[scales + i] = static_cast<T>(0.0f);
  }
}

}  // namespace impl

}  // namespace ipuflow::nn
