// SPDX-License-Identifier: BSL-1.0
// Floats from halves and back, many at a time, whichever of the two a codelet has.
#pragma once

#include <ipuflow/core/half.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::ipu {

namespace impl {

template <class E>
void widen(std::span<const E> from, float* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

template <class E>
void narrow(const float* from, std::span<E> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = E{from[i]};
}

}  // namespace impl

}  // namespace ipuflow::ipu
