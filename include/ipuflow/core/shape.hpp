// SPDX-License-Identifier: BSL-1.0
// The extents of a tensor as a type, slowest first. It holds no data: it is what layers are checked with.
// Its number of elements is checked.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/units.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow {

template <std::size_t... Extent>
struct shape {
  static constexpr std::size_t rank = sizeof...(Extent);
  static constexpr std::size_t elements = (bytes{1} * ... * Extent).value;  // checked

  /// The extent of one axis, counted from the slowest.
  [[nodiscard]] static constexpr std::size_t extent(std::size_t axis) {
    constexpr std::size_t extents[] = {Extent..., 0};
    if (axis >= rank) throw_if(vector_fault{vector_wrong::out_of_range, axis, rank});
    return extents[axis];
  }

  template <std::size_t... Other>
  friend constexpr bool operator==(shape, shape<Other...>) {
    return std::is_same_v<shape, shape<Other...>>;
  }
};

}  // namespace ipuflow
