// SPDX-License-Identifier: BSL-1.0
// Accumulation makes one gradient of those of a run's micro-batches, as their reduction says it.
// The sum is computed in float, or in double where the total is.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/train/reduction.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::train {

namespace impl {

/// Adds the gradient of a micro-batch to a total that starts out as zeros.
template <class Accumulator, class Gradient>
constexpr void accumulate(reduction_scales by, light_span<Accumulator> total, light_span<const Gradient> gradient) {
  using sum = std::conditional_t<std::is_same_v<Accumulator, double>, double, float>;
  for (std::size_t i = 0; i < total.size(); ++i) {
    total[i] = static_cast<Accumulator>(static_cast<sum>(total[i]) * static_cast<sum>(by.kept) +
                                        static_cast<sum>(gradient[i]) * static_cast<sum>(by.added));
  }
}

}  // namespace impl

}  // namespace ipuflow::train
