// SPDX-License-Identifier: BSL-1.0
// The messages from one seat to another while a timetable runs, first in first out: when each was made. Which micro-batch it is for
// need not be known where they are read in the order in which they are made. A million that were made at equal distances are kept as a
// few numbers.
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

/// Messages in the order of a cycle of them, which repeats: each is later than the same one of the cycle before by its growth.
struct message_stretch {
  std::size_t behind = 0;  ///< messages that are read before it, and that no stretch has
  std::size_t left = 0;
  std::size_t next = 0;                 ///< of the cycle
  std::size_t growths = 1;              ///< from one that is read to what is read in its place a cycle of rounds later
  dynamic_array<growing_time> cycle{};  ///< each with its next time

  constexpr growing_time take() {
    growing_time& made = cycle[next];
    const growing_time now{made.at, growths * made.growth};
    made.at += made.growth;
    if (++next == cycle.size()) next = 0;
    --left;
    return now;
  }
};

template <class = void>
class basic_message_ring {
 public:
  [[nodiscard]] constexpr std::size_t size() const {
    std::size_t all = own_;
    for (const message_stretch& s : stretches_) all += s.left;
    return all;
  }
  /// The number of those that were taken, modulo 2^32.
  [[nodiscard]] constexpr std::uint32_t taken() const { return first_ + far_taken_; }
  /// True if every message is kept for itself.
  [[nodiscard]] constexpr bool is_plain() const { return stretches_.empty(); }
  /// Of those that are kept for themselves.
  constexpr growing_time& operator[](std::size_t i) { return times_[(first_ + i) & (times_.size() - 1)]; }

  /// The place of the next one, which is then the newest.
  constexpr growing_time& add() {
    if (own_ == times_.size()) make_room();
    return times_[(first_ + own_++) & (times_.size() - 1)];
  }
  /// The oldest one, which is no longer here then.
  constexpr growing_time take() {
    if (!stretches_.empty()) return take_of_many();
    --own_;
    return times_[first_++ & (times_.size() - 1)];
  }

  /// Adds what cycles would that repeat the newest messages, which a cycle made with their growths.
  constexpr void repeat_newest(std::size_t messages, std::size_t cycles) {
    if (messages == 0 || cycles == 0) return;
    message_stretch s{.behind = own_, .left = messages * cycles, .cycle = dynamic_array<growing_time>{messages}};
    for (const message_stretch& before : stretches_) s.behind -= before.behind;
    for (std::size_t i = 0; i < messages; ++i) {
      const growing_time made = (*this)[own_ - messages + i];
      s.cycle[i] = {made.at + made.growth, made.growth};
    }
    stretches_.push_back(static_cast<message_stretch&&>(s));
  }
  /// For how many cycles after the next one, each of which takes `messages` of them, each is later by the same time.
  constexpr std::size_t lasts(std::size_t messages) {
    if (stretches_.empty()) return 0;
    message_stretch& s = stretches_[0];
    if (s.behind > 0 || s.left < messages || messages % s.cycle.size() != 0) return 0;
    s.growths = messages / s.cycle.size();
    return s.left / messages - 1;
  }
  /// Takes what `cycles` cycles take that last.
  constexpr void leave_out(std::size_t messages, std::size_t cycles) {
    if (messages == 0 || cycles == 0) return;
    message_stretch& s = stretches_[0];
    for (growing_time& made : s.cycle) made.at += cycles * s.growths * made.growth;
    s.left -= messages * cycles;
    far_taken_ += static_cast<std::uint32_t>(messages * cycles);
    if (s.left == 0) leave_stretch();
  }

 private:
  constexpr void make_room() {
    const std::uint32_t room = own_ == 0 ? 2 : 2 * own_;
    dynamic_array<growing_time> times{room};
    for (std::uint32_t i = 0; i < own_; ++i) times[(first_ + i) & (room - 1)] = (*this)[i];
    times_ = static_cast<dynamic_array<growing_time>&&>(times);
  }
  [[gnu::noinline]] constexpr growing_time take_of_many() {
    message_stretch& s = stretches_[0];
    if (s.behind > 0) {
      --s.behind;
      --own_;
      return times_[first_++ & (times_.size() - 1)];
    }
    ++far_taken_;
    const growing_time made = s.take();
    if (s.left == 0) leave_stretch();
    return made;
  }
  constexpr void leave_stretch() {
    dynamic_array<message_stretch> others;
    for (std::size_t i = 1; i < stretches_.size(); ++i) others.push_back(static_cast<message_stretch&&>(stretches_[i]));
    stretches_ = static_cast<dynamic_array<message_stretch>&&>(others);
  }

  dynamic_array<growing_time> times_{};  // their number is a power of two
  std::uint32_t first_ = 0;
  std::uint32_t own_ = 0;  // messages that are kept for themselves
  std::uint32_t far_taken_ = 0;
  dynamic_array<message_stretch> stretches_{};  // from the oldest one on
};

using message_ring = basic_message_ring<>;

}  // namespace ipuflow::schedule::impl
