// SPDX-License-Identifier: BSL-1.0
// The rounds of a program: through all IPUs, there and back, each of which does what its phase has in one repeat, as far as what that
// reads is there. Passes of a chunk number their micro-batches in order, so messages are read in that order. Where every IPU does a
// whole repeat and as many messages wait as before, the next round is alike.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/forms/program.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

template <class State>
class program_rounds {
 public:
  constexpr program_rounds(const program& t, const State&) : walks_{t.where.ipus}, turns_{t.where.ipus} {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      walks_[ipu] = t.walk(ipu);
      if (walks_[ipu]) ++left_;
      complete_ = complete_ && has_beats_for_all(t, ipu);
    }
  }

  [[nodiscard]] constexpr bool done() const { return left_ == 0; }

  constexpr bool round(State& state) {
    const std::size_t ipus = walks_.size();
    waiting_ = taken_ = 0;
    for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
      turns_[ipu] = {};
      if (!walks_[ipu]) continue;
      turns_[ipu] = {walks_[ipu].position(), walks_[ipu].phase().beats.size(), true, by_number(walks_[ipu].phase())};
      ++waiting_;
    }
    for (std::size_t before = nowhere; waiting_ > 0 && before != taken_;) {  // there and back, or what goes back would get on by one IPU a round
      before = taken_;
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
        if (!go_on(state, ipu)) return false;
      }
      for (std::size_t ipu = ipus; ipu-- > 0 && waiting_ > 0;) {
        if (!go_on(state, ipu)) return false;
      }
    }
    alike_ = complete_ ? nowhere : 0;
    for (std::size_t ipu = 0; ipu < ipus && alike_ > 0; ++ipu) {
      const turn& now = turns_[ipu];
      if (!now.runs) continue;
      const std::size_t more = walks_[ipu] && now.steady ? repeats_like(now.start, walks_[ipu]) : 0;
      if (more < alike_) alike_ = more;
    }
    return taken_ > 0;
  }

  [[nodiscard]] constexpr std::size_t alike() const { return alike_ == nowhere ? 0 : alike_; }

  constexpr void leave_out(std::size_t rounds) {
    for (program_walk& walk : walks_) {
      if (walk) walk.leave_out(rounds);
    }
  }

 private:
  /// The part of an IPU in a round.
  struct turn {
    beat_position start{};
    std::size_t left = 0;  // operations
    bool runs = false;
    bool steady = false;
  };

  /// Does what an IPU has left of the round, as far as it is ready.
  constexpr bool go_on(State& state, std::size_t ipu) {
    turn& now = turns_[ipu];
    if (now.left == 0) return true;
    program_walk& walk = walks_[ipu];
    for (; walk && now.left > 0 && state.ready(ipu, *walk); ++walk, --now.left) {
      if (!state.take(state.event_of(ipu, *walk))) return false;
      ++taken_;
    }
    if (!walk) {
      now.left = 0;
      --left_;
    }
    if (now.left == 0) --waiting_;
    return true;
  }

  /// The repeats of the phase that follow, if a walk is one repeat behind `start`.
  static constexpr std::size_t repeats_like(const beat_position& start, const program_walk& walk) {
    const beat_position& now = walk.position();
    if (now.phase != start.phase || now.beat != start.beat || now.time != start.time + 1) return 0;
    return walk.phase().times - now.time - 1;
  }
  static constexpr bool by_number(const program_phase& phase) {
    for (const beat& b : phase.beats) {
      if (b.chunk == oldest) return false;
    }
    return true;
  }
  /// True if no beat is for a micro-batch that the schedule does not have.
  static constexpr bool has_beats_for_all(const program& t, std::size_t ipu) {
    std::size_t beats = 0;
    for (const program_phase& phase : t.phases(t.where, ipu)) beats += phase.times * phase.beats.size();
    const std::size_t limit = t.where.micro_batches / t.where.directions();
    std::size_t made[2][16]{};
    for (const program_phase& phase : t.phases(t.where, ipu)) {
      for (const beat& b : phase.beats) {
        if (b.kind == pass::forward || is_backward(b.kind)) made[b.kind == pass::forward ? 0 : 1][b.chunk] += phase.times;
      }
    }
    for (std::size_t chunk = 0; chunk < 16; ++chunk) {
      if (made[0][chunk] > limit || made[1][chunk] > limit) return false;
    }
    return beats > 0;
  }

  dynamic_array<program_walk> walks_;
  dynamic_array<turn> turns_;
  std::size_t left_ = 0;      ///< IPUs that are not done
  std::size_t waiting_ = 0;   ///< those that have operations left of the round
  std::size_t taken_ = 0;     ///< operations of the round
  std::size_t alike_ = 0;
  bool complete_ = true;
};

}  // namespace ipuflow::schedule::impl
