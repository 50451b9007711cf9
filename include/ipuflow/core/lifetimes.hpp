// SPDX-License-Identifier: BSL-1.0
// Lives of objects in raw memory: what <memory> has for that, without the rest of it.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace ipuflow::lifetimes {

template <class T>
constexpr void end(T* at, std::size_t count = 1) noexcept {
  if constexpr (!std::is_trivially_destructible_v<T>) {
    while (count > 0) at[--count].~T();
  }
}

/// `count` default-initialised objects; none if the constructor of one throws.
template <class T>
void begin(T* at, std::size_t count) {
  if constexpr (!std::is_trivially_default_constructible_v<T>) {
    struct guard {
      T* at;
      std::size_t made = 0;
      ~guard() { end(at, made); }
    } so_far{at};
    for (; so_far.made < count; ++so_far.made) ::new (static_cast<void*>(at + so_far.made)) T;
    so_far.made = 0;
  }
}

}  // namespace ipuflow::lifetimes
