// SPDX-License-Identifier: BSL-1.0
// The element types that a tile computes with, as values: variables of a program are described at run time.
#pragma once

#include <ipuflow/core/half.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace ipuflow::ipu {

/// The types of numbers that tiles compute with.
enum class element_type : unsigned char { f16, f32, i32, u32, u8 };

[[nodiscard]] constexpr std::size_t size_of(element_type type) {
  if (type == element_type::f16) return 2;
  return type == element_type::u8 ? 1 : 4;
}

[[nodiscard]] constexpr std::string_view name_of(element_type type) {
  constexpr std::string_view names[] = {"half", "float", "int", "unsigned", "byte"};
  return names[static_cast<std::size_t>(type)];
}

/// Elements that the arithmetic of a worker takes at once: 64 bits.
[[nodiscard]] constexpr std::size_t vector_width(element_type type) { return 8 / size_of(type); }

template <class T>
[[nodiscard]] constexpr element_type element_type_of() {
  using element = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<element, half>)
    return element_type::f16;
  else if constexpr (std::is_same_v<element, float>)
    return element_type::f32;
  else if constexpr (std::is_same_v<element, std::int32_t>)
    return element_type::i32;
  else if constexpr (std::is_same_v<element, std::uint32_t>)
    return element_type::u32;
  else {
    static_assert(std::is_same_v<element, std::uint8_t>, "ipuflow: a tile does not compute with elements of this type; use half, float, 32-bit integers or bytes");
    return element_type::u8;
  }
}

/// Calls `visit` with a value of an element type, and returns what it returns.
template <class Visit>
constexpr decltype(auto) with_element(element_type type, Visit&& visit) {
  switch (type) {
    case element_type::f16:
      return visit(half{});
    case element_type::i32:
      return visit(std::int32_t{});
    case element_type::u32:
      return visit(std::uint32_t{});
    case element_type::u8:
      return visit(std::uint8_t{});
    case element_type::f32:
      break;
  }
  return visit(float{});
}

}  // namespace ipuflow::ipu
