// SPDX-License-Identifier: BSL-1.0
// Runs a timetable in rounds and leaves out those whose times are known. Where rounds do the same operations, and all times
// of the state have grown in a cycle of rounds by as much as in the one before, they grow so for as long as every maximum is
// taken by the same argument. One more cycle, in which each time carries its growth along, shows how long that is; if no
// argument grows faster than the one that is taken, it is for ever. docs/schedules.md has the argument.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/max_plus_state.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// `Rounds` has `round<Growing>(state)`, `done()`, `alike()`, the number of rounds to come that are like the last one, and
/// `leave_out(rounds)`.
template <class State, class Rounds>
class steady_run {
 public:
  constexpr steady_run(State& state, Rounds& rounds) : state_{state}, rounds_{rounds} {}

  /// False if the timetable cannot be run in rounds.
  constexpr bool run() {
    while (!rounds_.done()) {
      if (!rounds_.template round<false>(state_)) return false;
      if (rounds_.alike() == 0) {
        known_ = 0;
        continue;
      }
      if (!look()) continue;
      if (!follow()) return false;
    }
    return true;
  }

 private:
  /// Notes the state behind a round; true if times have grown in it as they did in the round that is marked.
  constexpr bool look() {
    const bool same = read(now_, shape_);
    if (!same || known_ == 0) {
      known_ = 1;
      since_ = 0;
      keep();
      return false;
    }
    ++known_;
    if (known_ == 2) {
      mark();
      keep();
      return false;
    }
    ++since_;
    bool equal = true;
    for (std::size_t i = 0; i < now_.size() && equal; ++i) equal = now_[i] - before_[i] == marked_growth_[i];
    if (!equal && since_ >= patience_) {
      patience_ *= 2;
      mark();
    }
    keep();
    return equal;
  }

  constexpr void keep() {
    dynamic_array<std::size_t> kept = static_cast<dynamic_array<std::size_t>&&>(now_);
    now_ = static_cast<dynamic_array<std::size_t>&&>(before_);
    before_ = static_cast<dynamic_array<std::size_t>&&>(kept);
  }

  constexpr void mark() {
    marked_ = now_;
    marked_growth_ = now_;
    for (std::size_t i = 0; i < now_.size(); ++i) marked_growth_[i] -= before_[i];
    since_ = 0;
  }

  /// Runs a cycle in which times carry their growths, and leaves out those that are like it.
  constexpr bool follow() {
    const std::size_t cycle = since_;
    if (rounds_.alike() < 2 * cycle) return true;
    patience_ = cycle < 2 ? 2 : cycle;
    dynamic_array<std::size_t> growth{before_.size()};
    for (std::size_t i = 0; i < growth.size(); ++i) growth[i] = before_[i] - marked_[i];
    std::size_t next = 0;
    state_.for_each_time([&](growing_time& time) { time.growth = growth[next++]; });
    state_.lasts = nowhere;
    state_.note_busy();
    for (std::size_t i = 0; i < cycle; ++i) {
      if (!rounds_.template round<true>(state_)) return false;
    }
    known_ = 0;
    if (!read(now_, shape_)) return true;
    bool holds = true;
    next = 0;
    state_.for_each_time([&](const growing_time& time) {
      holds = holds && time.growth == growth[next] && time.at == before_[next] + growth[next];
      ++next;
    });
    const std::size_t most = rounds_.alike() / cycle;
    const std::size_t cycles = state_.lasts < most ? state_.lasts : most;
    if (!holds || cycles == 0) return true;
    state_.leave_out(cycles);
    rounds_.leave_out(cycles * cycle);
    return true;
  }

  /// Reads the times of the state, and how many messages wait where; true if these are as many as before.
  constexpr bool read(dynamic_array<std::size_t>& times, dynamic_array<std::size_t>& shape) {
    std::size_t count = 0;
    state_.for_each_time([&](const growing_time&) { ++count; });
    if (times.size() != count) times = dynamic_array<std::size_t>{count};
    std::size_t next = 0;
    state_.for_each_time([&](const growing_time& time) { times[next++] = time.at; });
    if (shape.size() != state_.links()) shape = dynamic_array<std::size_t>{state_.links()};
    bool same = before_.size() == count;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      same = same && shape[i] == state_.waiting(i);
      shape[i] = state_.waiting(i);
    }
    return same;
  }

  State& state_;
  Rounds& rounds_;
  dynamic_array<std::size_t> now_{}, before_{}, marked_{}, marked_growth_{}, shape_{};
  std::size_t known_ = 0;     ///< states of rounds alike that have been read in a row, up to this one
  std::size_t since_ = 0;     ///< rounds since one was marked
  std::size_t patience_ = 1;  ///< rounds until another one is marked: ever more, so that a cycle of any length is found
};

}  // namespace ipuflow::schedule::impl
