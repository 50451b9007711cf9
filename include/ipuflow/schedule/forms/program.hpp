// SPDX-License-Identifier: BSL-1.0
// A schedule as the program that each IPU runs: a few phases, each a short pattern repeated some number of times. Every
// pass of every chunk numbers its own micro-batches, so a program is as short for a million of them as for ten.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace impl {

/// In place of a chunk: the gradient for weights that has waited longest, of whichever chunk.
inline constexpr unsigned char oldest = 15;

}  // namespace impl

/// One operation of a pattern; its micro-batch is the next one of that pass and chunk.
struct beat {
  pass kind = pass::forward;
  unsigned char chunk = 0;
  bool with_next = false;

  friend constexpr bool operator==(const beat&, const beat&) = default;
};

/// A sequence of beats that is run a number of times.
struct program_phase {
  std::size_t times = 0;
  bounded_vector<beat, 6> beats{};

  friend constexpr bool operator==(const program_phase&, const program_phase&) = default;
};

using phase_list = bounded_vector<program_phase, 12>;

namespace impl {

/// The phases of an IPU.
using phases_of = phase_list (*)(const grid&, std::size_t ipu);
/// Those of a program that was refused.
constexpr phase_list no_phases(const grid&, std::size_t) { return phase_list{}; }

/// A position among the beats of a list of phases, of which each runs something.
struct beat_position {
  std::size_t phase = 0;
  std::size_t time = 0;
  std::size_t beat = 0;

  constexpr bool in(const phase_list& phases) const { return phase < phases.size(); }
  constexpr const schedule::beat& of(const phase_list& phases) const { return phases[phase].beats[beat]; }
  constexpr void advance(const phase_list& phases) {
    if (++beat < phases[phase].beats.size()) return;
    beat = 0;
    if (++time < phases[phase].times) return;
    time = 0;
    ++phase;
  }
};

/// The operations of one IPU of a program, in order. A micro-batch that the schedule does not have is left out, so a
/// program written for more micro-batches serves fewer.
class program_walk {
 public:
  constexpr program_walk() = default;
  constexpr program_walk(const grid& where, std::size_t ipu, const phase_list& phases)
      : limit_{where.micro_batches / where.directions()} {
    for (const program_phase& p : phases) {
      if (p.times > 0 && !p.beats.empty()) phases_.push_back(p);
    }
    for (std::size_t chunk = 0; chunk < where.chunks(ipu) && chunk < most_chunks; ++chunk) {
      stage_[chunk] = where.stage_of(ipu, chunk);
      first_[chunk] = where.direction_of(chunk) * limit_;
    }
    read();
  }

  constexpr explicit operator bool() const { return at_.in(phases_); }
  constexpr const placed& operator*() const { return now_; }
  constexpr const placed* operator->() const { return &now_; }
  constexpr program_walk& operator++() {
    at_.advance(phases_);
    read();
    return *this;
  }

  /// The beat at hand, and its phase.
  [[nodiscard]] constexpr const beat_position& position() const { return at_; }
  [[nodiscard]] constexpr const program_phase& phase() const { return phases_[at_.phase]; }
  /// Goes on by whole repeats of the phase at hand, from its first beat: of one with a micro-batch for every beat, by number.
  constexpr void pass_over(std::size_t repeats) {
    --next_[stream_of(now_.kind)][at_.of(phases_).chunk];  // of the operation at hand
    for (const beat& b : phase().beats) next_[stream_of(b.kind)][b.chunk] += repeats;
    now_.step += repeats * phase().beats.size() - 1;
    at_.time += repeats;
    if (at_.time == phase().times) {
      at_.time = 0;
      ++at_.phase;
    }
    read();
  }

 private:
  static constexpr std::size_t most_chunks = 4;

  constexpr void read() {
    for (; at_.in(phases_); at_.advance(phases_)) {
      const beat& now = at_.of(phases_);
      std::size_t chunk = now.chunk;
      const std::size_t micro_batch = chunk == oldest ? oldest_split(chunk) : next_[stream_of(now.kind)][chunk]++;
      if (micro_batch >= limit_) continue;
      now_.kind = now.kind;
      now_.stage = stage_[chunk];
      now_.micro_batch = micro_batch + first_[chunk];
      now_.with_next = now.with_next;
      ++now_.step;
      return;
    }
  }

  /// Whole and split backwards count the same micro-batches.
  static constexpr std::size_t stream_of(pass kind) {
    return static_cast<std::size_t>(is_backward(kind) ? pass::backward : kind);
  }

  /// The first split backward whose gradient for weights has not been asked for by age.
  constexpr std::size_t oldest_split(std::size_t& chunk) {
    for (; split_.in(phases_); split_.advance(phases_)) {
      while (split_.in(phases_) && split_.beat == 0 && !splits(phases_[split_.phase])) pass_over_whole(phases_[split_.phase]);
      if (!split_.in(phases_)) break;
      const beat& made = split_.of(phases_);
      if (!is_backward(made.kind)) continue;
      const std::size_t micro_batch = split_next_[made.chunk]++;
      if (made.kind == pass::backward) continue;
      chunk = made.chunk;
      split_.advance(phases_);
      return micro_batch;
    }
    chunk = 0;
    return nowhere;
  }

  static constexpr bool splits(const program_phase& phase) {
    for (const beat& b : phase.beats) {
      if (b.kind == pass::backward_inputs) return true;
    }
    return false;
  }
  /// Counts the backwards of a phase that splits none.
  constexpr void pass_over_whole(const program_phase& phase) {
    for (const beat& b : phase.beats) {
      if (is_backward(b.kind)) split_next_[b.chunk] += phase.times - split_.time;
    }
    split_.time = 0;
    ++split_.phase;
  }

  phase_list phases_{};
  std::size_t limit_ = 0;               // micro-batches of a direction
  std::size_t stage_[most_chunks]{};    // of each chunk
  std::size_t first_[most_chunks]{};    // its first micro-batch
  beat_position at_{};
  beat_position split_{};  // of the split backward whose weights come next by age
  std::size_t next_[pass_count][most_chunks]{};
  std::size_t split_next_[most_chunks]{};
  placed now_{op{}, nowhere, false};
};

}  // namespace impl

struct program {
  grid where{};
  impl::phases_of phases = &impl::no_phases;
  std::size_t settled = 0;  ///< more micro-batches than these only repeat phases more often
  mode run_for = mode::training;
  static constexpr pace goes = pace::freely;
  schedule_fault refused{};

  friend constexpr bool operator==(const program&, const program&) = default;

  /// The operations of an IPU in order; their steps are their positions.
  constexpr impl::program_walk walk(std::size_t ipu) const {
    if (refused) return {where, ipu, phase_list{}};
    return {where, ipu, phases(where, ipu)};
  }
  [[nodiscard]] constexpr std::size_t count(std::size_t ipu) const {
    std::size_t total = 0;
    for (impl::program_walk w = walk(ipu); w; ++w) ++total;
    return total;
  }
};

}  // namespace ipuflow::schedule
