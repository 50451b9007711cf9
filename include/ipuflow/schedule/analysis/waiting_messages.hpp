// SPDX-License-Identifier: BSL-1.0
// The messages of all links that are made and not yet read, while a timetable runs in rounds. A round that is repeated reads a link as
// often as it writes it, or only does one of both: messages that it only writes are not read meanwhile, and those that it only reads
// were made at equal distances if they were made by rounds that were repeated.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/message_rings.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

class waiting_messages {
 public:
  constexpr explicit waiting_messages(std::size_t links) : rings_{links}, uses_{links} {}

  constexpr message_rings& rings() { return rings_; }
  [[nodiscard]] constexpr bool empty(std::size_t link) const { return rings_.empty(link); }
  [[nodiscard]] constexpr std::size_t size(std::size_t link) const { return rings_.size(link); }
  template <bool Growing>
  constexpr void add(std::size_t link, const growing_time& made) { rings_.add<Growing>(link, made); }
  template <bool Growing>
  constexpr growing_time take(std::size_t link) { return rings_.take<Growing>(link); }

  /// Count what a round reads and writes, if it is to be repeated.
  constexpr void count_read(std::size_t link) { ++uses_[link].read; }
  constexpr void count_written(std::size_t link) { ++uses_[link].written; }

  /// True if the round that was counted read each link as often as it wrote it, or only did one of both.
  constexpr bool can_repeat() {
    drifts_.clear();
    same_links_ = true;
    bool can = true;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      link_use& use = uses_[i];
      const bool steady = use.read == use.written;
      can = can && (steady ? use.read == 0 || rings_.is_plain(i) : use.read == 0 || use.written == 0);
      if (!steady) drifts_.push_back({i, use.read + use.written, use.written > 0});
      const bool apart = !steady || !rings_.is_plain(i);
      same_links_ = same_links_ && apart == use.apart;
      use = {0, 0, apart};
    }
    return can;
  }

  /// Calls `visit(time)` for the messages of the links that the last round that could be repeated both read and wrote; those of others do not
  /// change, or are not read.
  template <class Visit>
  constexpr void for_each_time(Visit& visit) {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      if (uses_[i].apart) continue;
      const std::size_t size = rings_.size(i);
      for (std::size_t k = 0; k < size; ++k) {
        const std::uint32_t at = rings_.place(i, k);
        growing_time made{rings_.time(at), rings_.growth(at)};
        visit(made);
        rings_.time(at) = made.at;
        rings_.growth(at) = made.growth;
      }
    }
  }
  /// True if these links are those of the round before it that could be repeated.
  [[nodiscard]] constexpr bool are_of_same_links() const { return same_links_; }

  /// For how many cycles of rounds after the next one messages that are only read are each later by the same time; they are read with
  /// it as their growth then.
  constexpr std::size_t last(std::size_t rounds) {
    std::size_t least = nowhere;
    for (const drift& d : drifts_) {
      if (d.grows) continue;
      const std::size_t cycles = rings_.lasts(d.link, rounds * d.messages);
      if (cycles < least) least = cycles;
    }
    return least;
  }
  /// Reads and writes what `cycles` do that are like the last one, of `rounds` rounds with growths.
  constexpr void leave_out(std::size_t rounds, std::size_t cycles) {
    for (const drift& d : drifts_) {
      d.grows ? rings_.repeat_newest(d.link, rounds * d.messages, cycles) : rings_.leave_out(d.link, rounds * d.messages, cycles);
    }
  }

 private:
  struct link_use {
    std::uint32_t read = 0;     // in the round that is counted
    std::uint32_t written = 0;
    bool apart = false;         // its messages are no part of the state
  };
  /// A link that is only written, or only read.
  struct drift {
    std::size_t link = 0;
    std::size_t messages = 0;  // of a round
    bool grows = false;
  };

  message_rings rings_;
  dynamic_array<link_use> uses_;
  dynamic_array<drift> drifts_{};
  bool same_links_ = true;
};

}  // namespace ipuflow::schedule::impl
