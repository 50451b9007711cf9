// SPDX-License-Identifier: BSL-1.0
// Consecutive positions of a dataset, and how a dataset is cut into shares of them.
#pragma once

#include <ipuflow/feed/dataset_fault.hpp>

#include <cstddef>

namespace ipuflow::feed {

namespace impl {

/// A run of consecutive positions.
struct interval {
  std::size_t first = 0;
  std::size_t count = 0;

  friend constexpr bool operator==(const interval&, const interval&) = default;
};

/// Share `index` of `samples` cut into `count` shares as even as possible: the first ones get one more.
[[nodiscard]] constexpr interval share_of(std::size_t samples, std::size_t index, std::size_t count) {
  check_share(index, count);
  const std::size_t least = samples / count;
  const std::size_t longer = samples % count;
  return {index * least + (index < longer ? index : longer), least + (index < longer ? 1 : 0)};
}

}  // namespace impl

}  // namespace ipuflow::feed
