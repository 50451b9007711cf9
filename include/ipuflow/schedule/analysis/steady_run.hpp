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

/// `Rounds` has `round(state)`, `done()`, `alike()`, the number of rounds to come that do the operations of the last one, and
/// `leave_out(rounds)`.
template <class State, class Rounds>
class steady_run {
 public:
  constexpr steady_run(State& state, Rounds& rounds) : state_{state}, rounds_{rounds} {}

  /// False if the timetable cannot be run in rounds.
  constexpr bool run() {
    while (!rounds_.done()) {
      const bool read = state_.events() > least_events * state_.lanes();  // else more rounds cost less than to read every one
      if (read) read_all(marked_);
      state_.begin_round();
      if (!rounds_.round(state_)) return false;
      const std::size_t alike = rounds_.alike();
      if (alike < least_alike || !state_.can_repeat()) continue;
      repeat(alike, read && state_.has_same_times());
      state_.have_repeated(alike);
      rounds_.leave_out(alike);
    }
    return true;
  }

 private:
  static constexpr std::size_t least_alike = 4;
  static constexpr std::size_t least_events = 16;
  static constexpr std::size_t worth_following = 8;  // rounds
  static constexpr std::size_t most_rest = 15;

  /// Repeats the last round that often, in fewer where the others follow from these. `marked`: the state before it was read.
  constexpr void repeat(std::size_t rounds, bool marked) {
    known_ = false;
    left_ = rounds;
    since_ = 0;
    read_lanes();
    if (marked) {
      read_all(after_);
      if (marked_.size() == after_.size() && all_grow_as_marked()) follow();
    }
    while (left_ > 0) {
      one_more();
      if (known_ && grows_as_marked() && all_grow_as_marked()) {
        follow();
      } else if (!known_ || since_ >= patience_) {
        if (known_) patience_ *= 2;
        settled_ = false;
        mark();
      } else if (!settled_ && grew_as_before()) {  // most cycles are of one round: looked at as soon as it may be there
        settled_ = true;
        mark();
      }
    }
  }

  constexpr void one_more() {
    swap(before_, older_);
    swap(now_, before_);
    state_.template repeat<false>();
    read_lanes();
    --left_;
    ++since_;
  }

  /// True if the IPUs' times have grown in the last round as they did in the one behind the mark.
  constexpr bool grows_as_marked() const {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (now_[i] - before_[i] != step_[i]) return false;
    }
    return true;
  }

  /// True if they have grown in the last round as they did in the one before it.
  constexpr bool grew_as_before() const {
    if (since_ < 2) return false;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (now_[i] - before_[i] != before_[i] - older_[i]) return false;
    }
    return true;
  }

  /// The same of all times, in one more round.
  constexpr bool all_grow_as_marked() {
    if (left_ == 0) return false;
    read_all(all_);
    one_more();
    std::size_t next = 0;
    bool same = true;
    state_.for_each_time([&](const growing_time& time) {
      same = same && time.at - all_[next] == after_[next] - marked_[next];
      ++next;
    });
    return same;
  }

  /// Marks the next round, and does the one behind it, too.
  constexpr void mark() {
    known_ = left_ > 1;
    if (!known_) return;
    one_more();
    if (step_.size() != now_.size()) step_ = dynamic_array<std::size_t>{now_.size()};
    for (std::size_t i = 0; i < now_.size(); ++i) step_[i] = now_[i] - before_[i];
    read_all(marked_);
    one_more();
    read_all(after_);
    since_ = 0;
  }

  /// Runs a cycle in which times carry their growths, and leaves out those that are like it.
  constexpr void follow() {
    const std::size_t cycle = since_;
    if (left_ < 2 * cycle) return;
    patience_ = cycle;
    read_all(all_);
    for (std::size_t i = 0; i < all_.size(); ++i) after_[i] = all_[i] - after_[i];
    const dynamic_array<std::size_t>& growth = after_;
    std::size_t next = 0;
    state_.for_each_time([&](growing_time& time) { time.growth = growth[next++]; });
    state_.begin_growth(cycle);
    for (std::size_t i = 0; i < cycle; ++i) state_.template repeat<true>();
    left_ -= cycle;
    bool holds = true;
    next = 0;
    state_.for_each_time([&](const growing_time& time) {
      holds = holds && time.growth == growth[next] && time.at == all_[next] + growth[next];
      ++next;
    });
    const std::size_t most = left_ / cycle;
    const std::size_t cycles = !holds ? 0 : state_.lasts < most ? state_.lasts : most;
    state_.grow(cycles);
    left_ -= cycles * cycle;
    rest_ = cycles * cycle >= worth_following ? 0 : rest_ < most_rest ? 2 * rest_ + 1 : most_rest;  // on the way to the regime maxima change all the time
    for (std::size_t i = 0; i < rest_ && left_ > 0; ++i) one_more();
    known_ = false;
    read_lanes();
  }

  constexpr void read_lanes() {
    if (now_.size() != state_.lanes()) now_ = dynamic_array<std::size_t>{state_.lanes()};
    for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = state_.last(i);
  }
  constexpr void read_all(dynamic_array<std::size_t>& to) {
    std::size_t next = 0;
    state_.for_each_time([&](const growing_time&) { ++next; });
    if (to.size() != next) to = dynamic_array<std::size_t>{next};
    next = 0;
    state_.for_each_time([&](const growing_time& time) { to[next++] = time.at; });
  }
  static constexpr void swap(dynamic_array<std::size_t>& a, dynamic_array<std::size_t>& b) {
    dynamic_array<std::size_t> kept = static_cast<dynamic_array<std::size_t>&&>(a);
    a = static_cast<dynamic_array<std::size_t>&&>(b);
    b = static_cast<dynamic_array<std::size_t>&&>(kept);
  }

  State& state_;
  Rounds& rounds_;
  dynamic_array<std::size_t> now_{}, before_{}, older_{}, step_{};  ///< of each IPU: behind this round and the two before, growth in the marked one
  dynamic_array<std::size_t> marked_{}, after_{}, all_{};  ///< of all times: behind the marked round, the one after it, this one
  std::size_t left_ = 0;      ///< rounds to come
  std::size_t since_ = 0;     ///< rounds since one was marked
  std::size_t rest_ = 0;      ///< rounds after which it is looked at again, where few were left out
  std::size_t patience_ = 1;  ///< rounds until another one is marked: ever more, so that a cycle of any length is found
  bool known_ = false;        ///< a round is marked
  bool settled_ = false;      ///< since another one was marked for patience, one was where rounds grew alike
};

}  // namespace ipuflow::schedule::impl
