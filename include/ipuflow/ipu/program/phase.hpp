// SPDX-License-Identifier: BSL-1.0
// Phases: what a chip does at a time. A superstep is a sync, an exchange and a compute set, each of which is one.
#pragma once

#include <ipuflow/core/units.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ipuflow::ipu {

/// Kinds of work of a chip, or of what it waits for.
enum class phase : unsigned char { compute, exchange, sync, host, inter_chip, streaming };

namespace impl {

inline constexpr std::size_t phase_count = 6;

}  // namespace impl

[[nodiscard]] constexpr std::string_view name_of(phase p) {
  constexpr std::string_view names[] = {"compute", "exchange", "sync", "host", "inter-chip", "streaming"};
  return names[static_cast<std::size_t>(p)];
}

inline constexpr std::size_t no_codelet = static_cast<std::size_t>(-1);

/// One phase of one chip within a labelled step, or what it waits for in that phase.
struct phase_run {
  std::size_t chip = 0;               ///< that is in the phase
  phase what = phase::compute;        ///< the phase
  cycles begin{};                     ///< cycle, counted from the begin of the labelled step
  cycles length{};                    ///< of its slowest tile
  cycles tile_busy{};                 ///< of a compute set: summed over tiles
  std::size_t codelet = no_codelet;   ///< of a compute set: the one that takes most cycles

  friend constexpr bool operator==(const phase_run&, const phase_run&) = default;
};

}  // namespace ipuflow::ipu
