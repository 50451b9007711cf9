// SPDX-License-Identifier: BSL-1.0
// The places of a pipeline's blocks as numbers: what a plan needs to know of its type.
#pragma once

#include <ipuflow/core/light_span.hpp>

#include <cstddef>

namespace ipuflow::run::impl {

/// The stage, the branch and the IPU of each block, in their order.
struct placed_blocks {
  light_span<const std::size_t> stage{};
  light_span<const std::size_t> branch{};
  light_span<const std::size_t> ipu{};

  [[nodiscard]] std::size_t stages() const { return stage.back() + 1; }
  /// True for the first block of a branch of a stage, which all its blocks share an IPU with.
  [[nodiscard]] bool begins_branch(std::size_t block) const {
    return block == 0 || stage[block] != stage[block - 1] || branch[block] != branch[block - 1];
  }
};

template <class P>
[[nodiscard]] constexpr placed_blocks places_of(const P&) {
  constexpr auto& at = P::placement;
  return {at.stage, at.branch, at.ipu};
}

}  // namespace ipuflow::run::impl
