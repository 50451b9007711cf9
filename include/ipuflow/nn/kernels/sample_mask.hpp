// SPDX-License-Identifier: BSL-1.0
// Lanes that hold samples, and those behind the last one, which are padding.
#pragma once

#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// The lanes that hold a sample: one, and zero in padding.
template <class T>
lanes<T> sample_mask(std::size_t samples) {
  lanes<T> mask{};
  for (std::size_t l = 0; l < samples; ++l) mask.set(l, number<T>(1));
  return mask;
}

}  // namespace impl

}  // namespace ipuflow::nn
