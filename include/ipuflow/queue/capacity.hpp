// SPDX-License-Identifier: BSL-1.0
// The one check of a capacity that a user gives: at least 1, and no more slots, rounded up to a power of 2, than memory
// has addresses for. Without it the size of a ring in bytes would wrap around, and the ring would write behind its end.
#pragma once

#include <ipuflow/queue/queue_fault.hpp>

#include <bit>
#include <cstddef>
#include <limits>

namespace ipuflow::queue {

/// The most items of this type that a queue can be asked to hold.
template <class T>
inline constexpr std::size_t largest_capacity =
    std::bit_floor(static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T));

/// The capacity that was asked for, if a queue of these items can have it; throws otherwise.
template <class T>
constexpr std::size_t checked_capacity(std::size_t asked) {
  if (asked == 0) throw_if(queue_fault{queue_wrong::no_capacity, asked, 1});
  if (asked > largest_capacity<T>)
    throw_if(queue_fault{queue_wrong::capacity_too_large, asked, largest_capacity<T>});
  return asked;
}

}  // namespace ipuflow::queue
