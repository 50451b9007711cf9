// SPDX-License-Identifier: BSL-1.0
// The messages of links while a timetable runs, of each link first in first out: when each was made. Which micro-batch it is for need not be
// known where they are read in the order in which they are made. All links share one memory, so that a round stays in the processor's
// caches. A million that were made at equal distances are kept as a few numbers.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/growing_time.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

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

/// `Growing`: times carry their growths.
template <class = void>
class basic_message_rings {
 public:
  constexpr explicit basic_message_rings(std::size_t links) : rings_{links}, times_{first_room * links}, growths_{first_room * links} {
    for (std::size_t i = 0; i < links; ++i) rings_[i].at = static_cast<std::uint32_t>(first_room * i);
  }

  [[nodiscard]] constexpr std::size_t links() const { return rings_.size(); }
  [[nodiscard]] constexpr std::size_t size(std::size_t link) const {
    std::size_t all = rings_[link].own();
    if (is_plain(link)) return all;
    for (const message_stretch& s : far_[link].stretches) all += s.left;
    return all;
  }
  [[nodiscard]] constexpr bool empty(std::size_t link) const { return rings_[link].first == rings_[link].end && is_plain(link); }
  /// The number of those that were taken, modulo 2^32.
  [[nodiscard]] constexpr std::uint32_t taken(std::size_t link) const { return rings_[link].first + (link < far_.size() ? far_[link].taken : 0); }
  /// True if every message is kept for itself.
  [[nodiscard]] constexpr bool is_plain(std::size_t link) const { return rings_[link].mask < with_stretches; }
  /// The place of one of those that are kept for themselves.
  [[nodiscard]] constexpr std::uint32_t place(std::size_t link, std::size_t i) const {
    const ring& r = rings_[link];
    return r.at + ((r.first + static_cast<std::uint32_t>(i)) & r.last());
  }
  constexpr std::size_t& time(std::uint32_t place) { return times_[place]; }
  constexpr std::size_t& growth(std::uint32_t place) { return growths_[place]; }

  template <bool Growing>
  constexpr void add(std::size_t link, const growing_time& made) {
    ring& r = rings_[link];
    if (r.own() > r.last()) make_room(r);
    const std::uint32_t to = r.at + (r.end++ & r.last());
    times_[to] = made.at;
    if constexpr (Growing) growths_[to] = made.growth;
  }
  /// The oldest one, which is no longer here then.
  template <bool Growing>
  constexpr growing_time take(std::size_t link) {
    ring& r = rings_[link];
    if (r.mask >= with_stretches) return take_of_many(link);
    return take_own<Growing>(r);
  }

  /// Adds what cycles would that repeat the newest messages, which a cycle made with their growths.
  constexpr void repeat_newest(std::size_t link, std::size_t messages, std::size_t cycles) {
    if (messages == 0 || cycles == 0) return;
    if (far_.empty()) far_ = dynamic_array<far_messages>{rings_.size()};
    ring& r = rings_[link];
    const std::uint32_t own = r.own();
    message_stretch s{.behind = own, .left = messages * cycles, .cycle = dynamic_array<growing_time>{messages}};
    for (const message_stretch& before : far_[link].stretches) s.behind -= before.behind;
    for (std::size_t i = 0; i < messages; ++i) {
      const std::uint32_t made = place(link, own - messages + i);
      s.cycle[i] = {times_[made] + growths_[made], growths_[made]};
    }
    far_[link].stretches.push_back(static_cast<message_stretch&&>(s));
    r.mask |= with_stretches;
  }
  /// For how many cycles after the next one, each of which takes `messages` of them, each is later by the same time.
  constexpr std::size_t lasts(std::size_t link, std::size_t messages) {
    if (is_plain(link)) return 0;
    message_stretch& s = far_[link].stretches[0];
    if (s.behind > 0 || s.left < messages || messages % s.cycle.size() != 0) return 0;
    s.growths = messages / s.cycle.size();
    return s.left / messages - 1;
  }
  /// Takes what `cycles` cycles take that last.
  constexpr void leave_out(std::size_t link, std::size_t messages, std::size_t cycles) {
    if (messages == 0 || cycles == 0) return;
    message_stretch& s = far_[link].stretches[0];
    for (growing_time& made : s.cycle) made.at += cycles * s.growths * made.growth;
    s.left -= messages * cycles;
    far_[link].taken += static_cast<std::uint32_t>(messages * cycles);
    if (s.left == 0) leave_stretch(link);
  }

 private:
  static constexpr std::uint32_t first_room = 4;
  static constexpr std::uint32_t with_stretches = std::uint32_t{1} << 31;

  struct ring {
    std::uint32_t at = 0;                 // its places
    std::uint32_t mask = first_room - 1;  // the last of them, a power of two less one, and a bit if there are messages that have none
    std::uint32_t first = 0, end = 0;     // of those that have one, modulo 2^32

    [[nodiscard]] constexpr std::uint32_t own() const { return end - first; }
    [[nodiscard]] constexpr std::uint32_t last() const { return mask & ~with_stretches; }
  };
  /// The messages of a link that are not kept for themselves.
  struct far_messages {
    dynamic_array<message_stretch> stretches{};  // from the oldest one on
    std::uint32_t taken = 0;
  };

  template <bool Growing>
  constexpr growing_time take_own(ring& r) {
    const std::uint32_t from = r.at + (r.first++ & r.last());
    return {times_[from], Growing ? growths_[from] : 0};
  }
  /// Moves a ring behind all others, into twice its room.
  [[gnu::noinline]] constexpr void make_room(ring& r) {
    const auto at = static_cast<std::uint32_t>(times_.size());
    const std::uint32_t last = 2 * r.last() + 1;
    for (std::uint32_t i = 0; i <= last; ++i) {
      times_.push_back(0);
      growths_.push_back(0);
    }
    for (std::uint32_t i = r.first; i != r.end; ++i) {
      const std::uint32_t from = r.at + (i & r.last());
      const std::uint32_t to = at + (i & last);
      times_[to] = times_[from];
      growths_[to] = growths_[from];
    }
    r.at = at;
    r.mask = last | (r.mask & with_stretches);
  }
  [[gnu::noinline]] constexpr growing_time take_of_many(std::size_t link) {
    message_stretch& s = far_[link].stretches[0];
    if (s.behind > 0) {
      --s.behind;
      return take_own<true>(rings_[link]);
    }
    ++far_[link].taken;
    const growing_time made = s.take();
    if (s.left == 0) leave_stretch(link);
    return made;
  }
  constexpr void leave_stretch(std::size_t link) {
    dynamic_array<message_stretch>& all = far_[link].stretches;
    dynamic_array<message_stretch> others;
    for (std::size_t i = 1; i < all.size(); ++i) others.push_back(static_cast<message_stretch&&>(all[i]));
    all = static_cast<dynamic_array<message_stretch>&&>(others);
    if (all.empty()) rings_[link].mask = rings_[link].last();
  }

  dynamic_array<ring> rings_;
  dynamic_array<std::size_t> times_, growths_;  // of all rings
  dynamic_array<far_messages> far_{};           // of each link, once there are some
};

using message_rings = basic_message_rings<>;

}  // namespace ipuflow::schedule::impl
