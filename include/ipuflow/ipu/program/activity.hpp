// SPDX-License-Identifier: BSL-1.0
// The times of a program's labelled steps: a tree as deep as its loops and labels, however often they run. `begin` is
// counted from the beginning of one iteration of the enclosing loop.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

inline constexpr std::size_t no_label = static_cast<std::size_t>(-1);

/// A labelled step as it ran, with those inside it.
struct activity {
  std::size_t label = no_label;    ///< of the step; loops that have none stand for their turns alone
  cycles begin{};                  ///< cycle, counted from the begin of what it is inside
  cycles length{};                 ///< of one turn
  std::uint64_t turns = 1;         ///< one right after the other
  light_vector<activity> inside{};  ///< labelled steps of one turn
  std::size_t phases = 0;          ///< of the chips in one turn, outside of those: a list of the profile; 0 is an empty one

  friend bool operator==(const activity&, const activity&) = default;
};

}  // namespace ipuflow::ipu
