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

/// `Rounds` has `round(state)`, `done()`, `alike()`, the number of rounds to come that do the operations of the last one with the
/// same messages waiting, and `leave_out(rounds)`.
template <class State, class Rounds>
class steady_run {
 public:
  constexpr steady_run(State& state, Rounds& rounds) : state_{state}, rounds_{rounds} {}

  /// False if the timetable cannot be run in rounds.
  constexpr bool run() {
    while (!rounds_.done()) {
      state_.begin_round();
      read();
      swap(now_, before_);
      if (!rounds_.round(state_)) return false;
      const std::size_t alike = rounds_.alike();
      if (alike < least_alike || !state_.can_repeat()) continue;
      repeat(alike);
      state_.have_repeated(alike);
      rounds_.leave_out(alike);
    }
    return true;
  }

 private:
  static constexpr std::size_t least_alike = 4;

  /// Repeats the last round that often, in as many fewer as are known beforehand.
  constexpr void repeat(std::size_t rounds) {
    read();
    known_ = before_.size() == now_.size();
    if (known_) mark();  // by how much times have grown in the round itself
    for (left_ = rounds; left_ > 0;) {
      state_.template repeat<false>();
      --left_;
      if (look()) follow();
    }
  }

  /// Reads the state behind a round; true if times have grown in it as they did in the round that is marked.
  constexpr bool look() {
    swap(now_, before_);
    read();
    ++since_;
    if (known_ && grows_as_marked()) return true;
    if (!known_ || since_ >= patience_) {
      if (known_) patience_ *= 2;
      mark();
    }
    return false;
  }
  constexpr bool grows_as_marked() const {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (now_[i] - before_[i] != growth_[i]) return false;
    }
    return true;
  }
  constexpr void mark() {
    marked_ = now_;
    growth_ = now_;
    for (std::size_t i = 0; i < now_.size(); ++i) growth_[i] -= before_[i];
    since_ = 0;
    known_ = true;
  }

  /// Runs a cycle in which times carry their growths, and leaves out those that are like it.
  constexpr void follow() {
    const std::size_t cycle = since_;
    if (left_ < 2 * cycle) return;
    patience_ = cycle;
    for (std::size_t i = 0; i < now_.size(); ++i) growth_[i] = now_[i] - marked_[i];
    std::size_t next = 0;
    state_.for_each_time([&](growing_time& time) { time.growth = growth_[next++]; });
    state_.lasts = nowhere;
    for (std::size_t i = 0; i < cycle; ++i) state_.template repeat<true>();
    left_ -= cycle;
    bool holds = true;
    next = 0;
    state_.for_each_time([&](const growing_time& time) {
      holds = holds && time.growth == growth_[next] && time.at == now_[next] + growth_[next];
      ++next;
    });
    const std::size_t most = left_ / cycle;
    const std::size_t cycles = !holds ? 0 : state_.lasts < most ? state_.lasts : most;
    state_.grow(cycles);
    left_ -= cycles * cycle;
    known_ = false;
    read();
  }

  constexpr void read() {
    std::size_t next = 0;
    state_.for_each_time([&](const growing_time&) { ++next; });
    if (now_.size() != next) now_ = dynamic_array<std::size_t>{next};
    next = 0;
    state_.for_each_time([&](const growing_time& time) { now_[next++] = time.at; });
  }
  static constexpr void swap(dynamic_array<std::size_t>& a, dynamic_array<std::size_t>& b) {
    dynamic_array<std::size_t> kept = static_cast<dynamic_array<std::size_t>&&>(a);
    a = static_cast<dynamic_array<std::size_t>&&>(b);
    b = static_cast<dynamic_array<std::size_t>&&>(kept);
  }

  State& state_;
  Rounds& rounds_;
  dynamic_array<std::size_t> now_{}, before_{}, marked_{}, growth_{};
  std::size_t left_ = 0;      ///< rounds to come
  std::size_t since_ = 0;     ///< rounds since one was marked
  std::size_t patience_ = 1;  ///< rounds until another one is marked: ever more, so that a cycle of any length is found
  bool known_ = false;        ///< a round is marked
};

}  // namespace ipuflow::schedule::impl
