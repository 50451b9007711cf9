// SPDX-License-Identifier: BSL-1.0
// The state of a timetable that is run in rounds, on which all later times depend: when each IPU is free, and the messages that are made and
// not yet read. How operations are run is a matter of who derives from it.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/growing_time.hpp>
#include <ipuflow/schedule/analysis/run_links.hpp>
#include <ipuflow/schedule/analysis/run_log.hpp>
#include <ipuflow/schedule/analysis/waiting_messages.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

template <class Log>
class run_state {
 public:
  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;

  [[nodiscard]] constexpr std::size_t lanes() const { return free_.size(); }
  /// Of an IPU: the start of its first operation, the end of its last one, and the time that it was busy.
  [[nodiscard]] constexpr std::size_t first(std::size_t ipu) const { return first_[ipu]; }
  [[nodiscard]] constexpr std::size_t last(std::size_t ipu) const { return free_[ipu].at; }
  [[nodiscard]] constexpr std::size_t busy(std::size_t ipu) const { return busy_[ipu]; }
  [[nodiscard]] constexpr const Log& log() const { return log_; }
  [[nodiscard]] constexpr const run_links& links() const { return links_; }

  /// True if the times of the state are those of the time before that a round was to be repeated.
  [[nodiscard]] constexpr bool has_same_times() const { return waiting_.are_of_same_links(); }
  /// Begins a cycle of rounds in which times carry their growths.
  constexpr void begin_growth(std::size_t rounds) { lasts = waiting_.last(rounds); }
  std::size_t lasts = nowhere;  ///< cycles after the next one in which all maxima stay as they are, where growths are followed

  /// All times grow, by `cycles` times their growth.
  constexpr void grow(std::size_t cycles) {
    if constexpr (Log::keeps) log_.leave_out(cycles * cycle_, cycle_);
    waiting_.leave_out(cycle_, cycles);
    cycle_ = 0;
    for_each_time([cycles](growing_time& time) { time.at += cycles * time.growth; });
  }

  /// Calls `visit(time)` for all times of the state.
  template <class Visit>
  constexpr void for_each_time(Visit visit) {
    for (growing_time& free : free_) visit(free);
    visit(turn_);
    waiting_.for_each_time(visit);
  }

 protected:
  template <whereabouts Where, pricing Costs>
  constexpr run_state(const Where& where, const Costs& c)
      : free_{where.ipus},
        first_{where.ipus, nowhere},
        busy_{where.ipus},
        links_{where, c},
        waiting_{links_.makers.size()},
        log_{begun_log<Log>(where.stages * pass_count, links_)} {}

  template <bool Growing>
  constexpr void begin_repeat() {
    if constexpr (Log::keeps) log_.begin_repeat();
    if constexpr (Growing) ++cycle_;
  }
  /// The time at which an IPU is free: one word where one was written, or the processor waits for both.
  template <bool Growing>
  [[nodiscard]] constexpr growing_time free_at(std::size_t ipu) const {
    return {free_[ipu].at, Growing ? free_[ipu].growth : 0};
  }
  template <bool Growing>
  static constexpr void put(growing_time& to, const growing_time& from) {
    to.at = from.at;
    if constexpr (Growing) to.growth = from.growth;
  }

  growing_time turn_{};  // of the operation before, where IPUs take turns
  dynamic_array<growing_time> free_;
  dynamic_array<std::size_t> first_, busy_;
  run_links links_;
  waiting_messages waiting_;
  Log log_;

 private:
  std::size_t cycle_ = 0;  // rounds since times began to carry their growths
};

}  // namespace ipuflow::schedule::impl
