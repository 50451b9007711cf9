// SPDX-License-Identifier: BSL-1.0
// Upper bounds of what an operation takes on a tile, as constant expressions.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

/// The most that an operation takes on a tile, whichever plan is taken.
struct operation_bound {
  std::uint64_t temporary = 0;  ///< bytes
  std::uint64_t pieces = 0;     ///< that the tile receives
  std::uint64_t sums = 0;       ///< partial results that it receives and adds up, where these are no pieces

  friend constexpr bool operator==(const operation_bound&, const operation_bound&) = default;
};

/// The most bytes on a tile of `elements` that are spread over `tiles`, at least 128 bytes to each, in grains.
[[nodiscard]] constexpr std::uint64_t spread_bound(element_type type, std::size_t elements, std::size_t tiles, std::size_t grain = 0) {
  const std::size_t size = size_of(type), together = grain == 0 ? vector_width(type) : grain;
  const std::size_t used = algorithms::clamp<std::size_t>(elements * size / 128, 1, tiles);
  return algorithms::min(elements, divided_up(divided_up(elements, together), used) * together) * size;
}

namespace impl {

/// Numbers of parts worth trying, of which the first n are there: for each size of the largest part the fewest that give it.
struct part_list {
  dynamic_array<std::size_t> parts;

  constexpr part_list(std::size_t of, std::size_t most) {
    for (std::size_t size = of; size > 0;) {
      const std::size_t fewest = divided_up(of, size);
      if (fewest > most) return;
      parts.push_back(fewest);
      if (fewest == of) return;
      size = (of - 1) / fewest;  // the largest size that needs one part more
    }
  }
  constexpr const std::size_t* begin() const { return parts.begin(); }
  constexpr const std::size_t* end() const { return parts.end(); }
};

}  // namespace impl

}  // namespace ipuflow::ipu
