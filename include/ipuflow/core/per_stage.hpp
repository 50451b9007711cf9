// SPDX-License-Identifier: BSL-1.0
// One count for each stage, written as a list: what tests and programs compare depths, peaks and counts with.
// A list of another length is unequal.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>

#include <cstddef>

namespace ipuflow {

/// One count for each stage, as in `fifo_depths(s) == per_stage(6, 4, 2, 0)`.
template <class... Count>
[[nodiscard]] constexpr bounded_vector<std::size_t, sizeof...(Count)> per_stage(Count... count) {
  return {{static_cast<std::size_t>(count)...}, sizeof...(Count)};
}

}  // namespace ipuflow
