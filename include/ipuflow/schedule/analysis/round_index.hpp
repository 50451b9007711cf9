// SPDX-License-Identifier: BSL-1.0
// The places of an IPU's operations, and of a stream's, in rounds of the same ones: the n-th of all rounds is found by a division.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/run_log.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

struct round_place {
  std::size_t round = 0;
  std::size_t event = 0;
};

/// The operations of a round that belong together, as a view.
class round_members {
 public:
  constexpr round_members(const std::uint32_t* events, std::size_t size) : events_{events}, size_{size} {}

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  /// The number of them before an operation of a round.
  [[nodiscard]] constexpr std::size_t before(std::size_t round, std::size_t event) const {
    std::size_t low = 0;
    for (std::size_t high = size_; low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (events_[middle] < event) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return round * size_ + low;
  }
  [[nodiscard]] constexpr round_place at(std::size_t n) const { return {n / size_, events_[n % size_]}; }

 private:
  const std::uint32_t* events_;
  std::size_t size_;
};

template <class = void>
class basic_round_index {
 public:
  [[nodiscard]] constexpr bool known() const { return known_; }
  constexpr void forget() { known_ = false; }

  constexpr void read(const basic_run_log<>& log, const basic_run_log<>::section& s, std::size_t lanes) {
    known_ = true;
    const auto sort = [&](dynamic_array<std::uint32_t>& starts, dynamic_array<std::uint32_t>& events, std::size_t groups, auto group_of) {
      starts = dynamic_array<std::uint32_t>{groups + 2};
      events = dynamic_array<std::uint32_t>{s.events};
      for (std::size_t i = 0; i < s.events; ++i) ++starts[group_of(log.entries()[log.code(s, i)]) + 2];
      for (std::size_t g = 2; g < starts.size(); ++g) starts[g] += starts[g - 1];
      for (std::size_t i = 0; i < s.events; ++i) {
        events[starts[group_of(log.entries()[log.code(s, i)]) + 1]++] = static_cast<std::uint32_t>(i);
      }
    };
    sort(lane_starts_, lane_events_, lanes, [](const auto& e) { return std::size_t{e.event.lane}; });
    sort(stream_starts_, stream_events_, log.streams(), [](const auto& e) { return std::size_t{e.stream}; });
  }

  [[nodiscard]] constexpr round_members of_lane(std::size_t lane) const { return members(lane_starts_, lane_events_, lane); }
  [[nodiscard]] constexpr round_members of_stream(std::size_t stream) const { return members(stream_starts_, stream_events_, stream); }

 private:
  static constexpr round_members members(const dynamic_array<std::uint32_t>& starts, const dynamic_array<std::uint32_t>& events, std::size_t group) {
    return {events.data() + starts[group], starts[group + 1] - starts[group]};
  }

  bool known_ = false;
  dynamic_array<std::uint32_t> lane_starts_{}, lane_events_{}, stream_starts_{}, stream_events_{};
};

using round_index = basic_round_index<>;

}  // namespace ipuflow::schedule::impl
