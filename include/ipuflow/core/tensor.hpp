// SPDX-License-Identifier: BSL-1.0
// The type of a tensor: an element type and extents, slowest first; and the types that elements may have.
// It holds no data: it is what layers are checked with.
#pragma once

#include <ipuflow/core/half.hpp>
#include <ipuflow/core/shape.hpp>
#include <ipuflow/core/units.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow {

/// The types that a tensor may be made of.
template <class T>
concept element = std::is_arithmetic_v<T> || std::is_same_v<T, half>;
/// The types that gradients can be of: layers compute with these, and whole numbers become them first.
template <class T>
concept real_element = std::is_floating_point_v<T> || std::is_same_v<T, half>;

template <element Element, std::size_t... Extent>
struct tensor : shape<Extent...> {
  using element_type = Element;
  using shape_type = shape<Extent...>;

  template <class Other>
  friend constexpr bool operator==(tensor, Other) {
    return std::is_same_v<tensor, Other>;
  }
};

/// The bytes of a value of type `T`: the elements of a tensor, otherwise the value itself, without what it owns
/// elsewhere. A user's type that owns more says so in a specialisation.
template <class T>
inline constexpr bytes bytes_of{sizeof(T)};

template <class Element, std::size_t... Extent>
inline constexpr bytes bytes_of<tensor<Element, Extent...>> = bytes{sizeof(Element)} * shape<Extent...>::elements;

}  // namespace ipuflow
