// SPDX-License-Identifier: BSL-1.0
// Memory of a search: what the passes of a stage add to what its IPU holds, and the most that an IPU may hold at any instant.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// Bytes that are added when a pass of one micro-batch is over, negative for those freed; together they are zero. A whole
/// backward adds what its two halves do.
struct activation_bytes {
  std::ptrdiff_t after_forward = 1;
  std::ptrdiff_t after_inputs = 0;
  std::ptrdiff_t after_weights = -1;

  friend constexpr bool operator==(const activation_bytes&, const activation_bytes&) = default;
};

/// Records of stages and limits of IPUs: one of each for all, or one for each.
struct search_memory {
  dynamic_array<activation_bytes> stages{};
  dynamic_array<std::size_t> limits{};  ///< bytes

  constexpr search_memory() = default;
  constexpr search_memory(activation_bytes of_all, std::size_t limit) : stages{1, of_all}, limits{1, limit} {}

  [[nodiscard]] constexpr const activation_bytes& of(std::size_t stage) const { return stages[stages.size() == 1 ? 0 : stage]; }
  [[nodiscard]] constexpr std::size_t limit(std::size_t ipu) const { return limits[limits.size() == 1 ? 0 : ipu]; }
};

}  // namespace ipuflow::schedule
