// SPDX-License-Identifier: BSL-1.0
// The messages from one seat to another while a timetable runs, first in first out: when each was made, and for which
// micro-batch. Rounds that are repeated move the times only, so that the micro-batches stay those of the round that they repeat.
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

  /// The newest one is for this micro-batch.
  constexpr void name_last(std::size_t micro_batch) { named_[(first_named_ + count_ - 1) & mask_] = micro_batch; }
  /// True if the oldest one is for this micro-batch, which is taken then.
  constexpr bool reads(std::size_t micro_batch) { return named_[first_named_++ & mask_] == micro_batch; }

 private:
  constexpr void grow() {
    const std::uint32_t room = count_ == 0 ? 2 : 2 * count_;
    dynamic_array<growing_time> times{room};
    dynamic_array<std::size_t> named{room};
    for (std::uint32_t i = 0; i < count_; ++i) {
      times[i] = times_[(first_ + i) & mask_];
      named[i] = named_[(first_named_ + i) & mask_];
    }
    times_ = static_cast<dynamic_array<growing_time>&&>(times);
    named_ = static_cast<dynamic_array<std::size_t>&&>(named);
    first_ = first_named_ = 0;
    room_ = room;
    mask_ = room - 1;
  }

  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t room_ = 0;
  dynamic_array<growing_time> times_{};
  dynamic_array<std::size_t> named_{};
  std::uint32_t first_named_ = 0;
};

}  // namespace ipuflow::schedule::impl
