// SPDX-License-Identifier: BSL-1.0
// The messages from one seat to another while a timetable runs, first in first out: when each was made. Which micro-batch it is for
// need not be known where they are read in the order in which they are made.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// A time, and by how much it grows from one cycle to the next.
struct growing_time {
  std::size_t at = 0;
  std::size_t growth = 0;
};

class message_ring {
 public:
  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  constexpr growing_time& operator[](std::size_t i) { return times_[(first_ + i) & mask_]; }

  /// The place of the next one, which is then the newest.
  constexpr growing_time& add() {
    if (count_ == room_) grow();
    return times_[(first_ + count_++) & mask_];
  }
  /// The oldest one, which is no longer here then.
  constexpr const growing_time& take() {
    --count_;
    return times_[first_++ & mask_];
  }

 private:
  constexpr void grow() {
    const std::uint32_t room = count_ == 0 ? 2 : 2 * count_;
    dynamic_array<growing_time> times{room};
    for (std::uint32_t i = 0; i < count_; ++i) times[i] = (*this)[i];
    times_ = static_cast<dynamic_array<growing_time>&&>(times);
    first_ = 0;
    room_ = room;
    mask_ = room - 1;
  }

  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t room_ = 0;
  dynamic_array<growing_time> times_{};
};

}  // namespace ipuflow::schedule::impl
