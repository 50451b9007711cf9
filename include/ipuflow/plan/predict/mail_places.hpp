// SPDX-License-Identifier: BSL-1.0
// The places on I/O tiles by which what a stage hands on comes to the stage that reads it on another chip, in time: one where it leaves,
// one where it arrives and one where it is taken, with a ring between those two for what has to wait longer. Each holds one value, and
// what finds the next place full waits where it is.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::plan::impl {

template <class = void>
class basic_mail_places {
 public:
  /// `move`: cycles from one place to the next on a chip.
  explicit basic_mail_places(std::uint64_t move = 0) : move_{move} {}

  /// The time from which the next value may be put where values leave.
  [[nodiscard]] std::uint64_t free_to_leave() const { return leaves_free_; }

  /// A value that leaves, made then. One that arrived before it and has not been fetched moves on into the ring.
  void send(std::size_t value, std::uint64_t made, std::uint64_t message) {
    if (arrives_.is_full) queue();
    arrives_ = {true, value, algorithms::max(made, arrives_.free) + message};
    leaves_free_ = arrives_.filled;
  }

  /// The time at which a value that was sent is where it is taken from.
  [[nodiscard]] std::uint64_t fetch(std::size_t value) {
    place* from = &arrives_;
    for (place& slot : ring_) {
      if (slot.is_full && slot.value == value) from = &slot;
    }
    from->is_full = false;
    return from->free = algorithms::max(from->filled, taken_) + move_;
  }
  /// The value that was fetched last is taken then.
  void take(std::uint64_t at) { taken_ = at; }

 private:
  struct place {
    bool is_full = false;
    std::size_t value = 0;
    std::uint64_t filled = 0;
    std::uint64_t free = 0;  // since when it may be filled again
  };

  void queue() {
    std::size_t slot = 0;
    while (slot < ring_.size() && ring_[(next_ + slot) % ring_.size()].is_full) ++slot;
    if (slot == ring_.size()) {
      next_ = ring_.size();
      ring_.emplace_back();
    } else {
      next_ = (next_ + slot) % ring_.size();
    }
    place& to = ring_[next_++];
    to = {true, arrives_.value, algorithms::max(arrives_.filled, to.free) + move_};
    arrives_.free = to.filled;
  }

  std::uint64_t move_;
  std::uint64_t leaves_free_ = 0;
  place arrives_{};
  light_vector<place> ring_{};  // as many slots as are needed
  std::size_t next_ = 0;        // slot, the first to be tried
  std::uint64_t taken_ = 0;     // since when the last place is free
};
using mail_places = basic_mail_places<>;

}  // namespace ipuflow::plan::impl
