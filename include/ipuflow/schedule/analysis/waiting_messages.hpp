// SPDX-License-Identifier: BSL-1.0
// The messages of all links that are made and not yet read, while a timetable runs in rounds. A round that is repeated reads a link as
// often as it writes it, or only does one of both: messages that it only writes are not read meanwhile, and those that it only reads
// were made at equal distances if they were made by rounds that were repeated.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/message_ring.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

class waiting_messages {
 public:
  constexpr explicit waiting_messages(std::size_t links) : rings_{links}, before_{links} {}

  constexpr message_ring& operator[](std::size_t link) { return rings_[link]; }
  constexpr const message_ring& operator[](std::size_t link) const { return rings_[link]; }

  constexpr void begin_round() {
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      before_[i].waiting = rings_[i].size();
      before_[i].taken = rings_[i].taken();
    }
  }

  /// True if since then each link was read as often as written, was only written, or was only read.
  constexpr bool can_repeat() {
    drifts_.clear();
    same_links_ = true;
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      const std::size_t read = rings_[i].taken() - before_[i].taken;
      const std::size_t written = rings_[i].size() + read - before_[i].waiting;
      const bool steady = read == written;
      if (steady ? read > 0 && !rings_[i].is_plain() : read > 0 && written > 0) return false;
      if (!steady) drifts_.push_back({i, read + written, written > 0});
      const bool apart = !steady || !rings_[i].is_plain();
      same_links_ = same_links_ && apart == before_[i].apart;
      before_[i].apart = apart;
    }
    return true;
  }

  /// Calls `visit(time)` for the messages of the links that the last round that could be repeated both read and wrote; those of others do not
  /// change, or are not read.
  template <class Visit>
  constexpr void for_each_time(Visit& visit) {
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      if (before_[i].apart) continue;
      for (std::size_t k = 0; k < rings_[i].size(); ++k) visit(rings_[i][k]);
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
      const std::size_t cycles = rings_[d.link].lasts(rounds * d.messages);
      if (cycles < least) least = cycles;
    }
    return least;
  }
  /// Reads and writes what `cycles` do that are like the last one, of `rounds` rounds with growths.
  constexpr void leave_out(std::size_t rounds, std::size_t cycles) {
    for (const drift& d : drifts_) {
      message_ring& ring = rings_[d.link];
      d.grows ? ring.repeat_newest(rounds * d.messages, cycles) : ring.leave_out(rounds * d.messages, cycles);
    }
  }

 private:
  /// A link when the round began.
  struct link_before {
    std::size_t waiting = 0;
    std::uint32_t taken = 0;
    bool apart = false;  // its messages are no part of the state
  };
  /// A link that is only written, or only read.
  struct drift {
    std::size_t link = 0;
    std::size_t messages = 0;  // of a round
    bool grows = false;
  };

  dynamic_array<message_ring> rings_;
  dynamic_array<link_before> before_;
  dynamic_array<drift> drifts_{};
  bool same_links_ = true;
};

}  // namespace ipuflow::schedule::impl
