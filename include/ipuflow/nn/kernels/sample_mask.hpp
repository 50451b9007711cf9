// SPDX-License-Identifier: BSL-1.0
// Lanes that hold samples, and those behind the last one, which are padding.
#pragma once

#include <ipuflow/nn/batch.hpp>
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

/// Padding becomes zero, whatever a layer has made of the zeros that it read there: what overflows would make sums over all
/// lanes NaN, even with a gradient or a mask of zero beside it.
template <class T, class Shape>
void zero_padding(batch<T, Shape> all) {
  const auto rows = rows_of(all);
  if (rows.samples % lane_count == 0) return;
  const lanes<T> there = sample_mask<T>(rows.samples % lane_count);
  lanes<T>* const last = rows.group(rows.samples / lane_count);
  for (std::size_t e = 0; e < rows.elements; ++e) last[e] = where_equal(there, constant<lanes<T>>(1), last[e], lanes<T>{});
}

}  // namespace impl

}  // namespace ipuflow::nn
