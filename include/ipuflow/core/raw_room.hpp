// SPDX-License-Identifier: BSL-1.0
// Room for elements that are not there yet, by size and alignment alone: code for all kinds of arrays.
#pragma once

#include <cstddef>
#include <new>

namespace ipuflow::detail {

/// Room for `count` elements; throws std::bad_alloc where there is none, or no number for its bytes.
inline void* take_room(std::size_t count, std::size_t size, std::size_t alignment) {
  if (count > static_cast<std::size_t>(-1) / 2 / size) throw std::bad_array_new_length{};
  if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator new(count * size, std::align_val_t{alignment});
  return ::operator new(count * size);
}
/// Gives back what `take_room` gave with this alignment, or null.
inline void give_room(void* room, std::size_t alignment) noexcept {
  if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator delete(room, std::align_val_t{alignment});
  ::operator delete(room);
}

}  // namespace ipuflow::detail
