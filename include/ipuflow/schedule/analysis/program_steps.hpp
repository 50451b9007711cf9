// SPDX-License-Identifier: BSL-1.0
// The steps of a program on each IPU, one repeat of a phase after the other: what to wait for, how long it takes, and what is sent. Operations
// that neither read nor send a message belong to the step before them. While a phase repeats, its steps stay as they are.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/run_links.hpp>
#include <ipuflow/schedule/analysis/run_log.hpp>
#include <ipuflow/schedule/forms/program.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// An operation, or two that run together, and those behind it that have no messages.
struct program_step {
  std::size_t time = 0;      ///< until its messages are sent
  std::size_t after = 0;     ///< of the operations behind it
  std::size_t busy = 0;      ///< of all of them, each for itself
  std::size_t delay[2]{};    ///< of the messages that it reads
  std::uint32_t in[2]{run_links::none, run_links::none};
  std::uint32_t out[2]{run_links::none, run_links::none};
  std::uint32_t lane = 0;
  std::uint8_t first = 0;    ///< its first operation in the repeat,
  std::uint8_t operations = 0;
  bool pair = false;
};

/// With a log operations have codes.
template <pricing Costs, class Log>
class program_steps {
 public:
  constexpr program_steps(const program& t, const Costs& c, const run_links& links, Log& log)
      : where_{t.where}, c_{c}, links_{links}, log_{log}, lanes_{t.where.ipus}, walks_{t.where.ipus}, steps_{room * t.where.ipus} {
    if constexpr (Log::keeps) codes_ = dynamic_array<std::uint32_t>{room * where_.ipus};
    for (std::size_t ipu = 0; ipu < where_.ipus; ++ipu) {
      walks_[ipu] = t.walk(ipu);
      look_at(t.phases(where_, ipu));
    }
    for (std::size_t ipu = 0; ipu < where_.ipus; ++ipu) read(ipu);
  }

  /// True if some operation is the update of weights.
  [[nodiscard]] constexpr bool updates() const { return updates_; }

  /// The steps of the repeat at hand; none where the program of an IPU has ended.
  [[nodiscard]] constexpr std::size_t size(std::size_t ipu) const { return lanes_[ipu].size; }
  [[nodiscard]] constexpr std::uint32_t index(std::size_t ipu, std::size_t n) const { return static_cast<std::uint32_t>(room * ipu + n); }
  constexpr const program_step& operator[](std::uint32_t index) const { return steps_[index]; }
  /// The code of an operation of a step.
  [[nodiscard]] constexpr std::uint32_t code(const program_step& s, std::size_t operation) const { return codes_[room * s.lane + s.first + operation]; }

  /// A number that changes with the steps.
  [[nodiscard]] constexpr std::size_t kind(std::size_t ipu) const { return lanes_[ipu].kind; }
  /// The repeat at hand among those of the same steps, and how many there are of these.
  [[nodiscard]] constexpr std::size_t repeat(std::size_t ipu) const { return lanes_[ipu].repeat; }
  [[nodiscard]] constexpr std::size_t repeats(std::size_t ipu) const { return lanes_[ipu].repeats; }

  /// Goes on to the next repeat.
  constexpr void go_on(std::size_t ipu) {
    lane& l = lanes_[ipu];
    if (++l.repeat < l.repeats) return;
    if (l.passes_over) walks_[ipu].pass_over(l.repeats);
    read(ipu);
  }
  /// Leaves out repeats of the same steps, but not the last one.
  constexpr void leave_out(std::size_t ipu, std::size_t repeats) { lanes_[ipu].repeat += repeats; }

 private:
  static constexpr std::size_t room = 8;  // of a repeat of six operations, and one more that may run together with the last of these

  struct lane {
    std::size_t repeat = 0;
    std::size_t repeats = 0;
    std::uint32_t kind = 0;
    std::uint8_t size = 0;
    bool passes_over = false;  // the walk is at the first of the repeats, and not behind the one at hand
  };

  /// Sees whether the schedule has a micro-batch for every beat.
  constexpr void look_at(const phase_list& phases) {
    std::size_t made[pass_count][oldest + 1]{};
    for (const program_phase& phase : phases) {
      for (const beat& b : phase.beats) {
        std::size_t& sum = made[static_cast<std::size_t>(is_backward(b.kind) ? pass::backward : b.kind)][b.chunk];
        sum += phase.times;
        updates_ = updates_ || b.kind == pass::update;
        complete_ = complete_ && (b.chunk == oldest || sum <= where_.micro_batches / where_.directions());
      }
    }
  }

  /// Reads the steps of the repeat at which the walk is.
  constexpr void read(std::size_t ipu) {
    lane& l = lanes_[ipu];
    l.size = 0;
    l.repeat = 0;
    l.repeats = 1;
    ++l.kind;
    l.passes_over = false;
    operations_ = 0;
    open_ = no_code;
    program_walk& walk = walks_[ipu];
    if (!walk) return;
    const program_phase& phase = walk.phase();
    if (complete_ && walk.position().beat == 0 && repeats_alike(phase)) {
      l.repeats = phase.times - walk.position().time;
      l.passes_over = true;
      for (const beat& b : phase.beats) add(ipu, b.kind, where_.stage_of(ipu, b.chunk), where_.direction_of(b.chunk), b.with_next);
      return;
    }
    const beat_position begin = walk.position();
    for (bool alone = true; walk; ++walk) {
      const beat_position& at = walk.position();
      if (alone && (at.phase != begin.phase || at.time != begin.time)) return;
      const placed& o = *walk;
      alone = !o.with_next || !alone;
      add(ipu, o.kind, o.stage, where_.directions() == 2 && o.micro_batch >= where_.micro_batches / 2 ? 1 : 0, o.with_next);
    }
  }
  static constexpr bool repeats_alike(const program_phase& phase) {
    for (const beat& b : phase.beats) {
      if (b.chunk == oldest) return false;
    }
    return !phase.beats.back().with_next;
  }

  constexpr void add(std::size_t ipu, pass kind, std::size_t stage, std::size_t direction, bool with_next) {
    lane& l = lanes_[ipu];
    const bool second = open_ != no_code;
    const std::size_t time = c_.of(kind, stage);
    std::uint32_t port = run_event::no_port;
    if (kind == pass::forward || is_backward(kind)) port = static_cast<std::uint32_t>(4 * stage + 2 * direction + (is_backward(kind) ? 1 : 0));
    const std::uint32_t in = port == run_event::no_port ? run_links::none : links_.link_to(port);
    const std::uint32_t out = port == run_event::no_port ? run_links::none : links_.link_from(port);
    const bool held = with_next && !second;
    const bool silent = in == run_links::none && out == run_links::none;
    if (!second && (held || !silent || l.size == 0)) {
      steps_[room * ipu + l.size] = {.lane = static_cast<std::uint32_t>(ipu), .first = operations_};
      ++l.size;
    }
    program_step& s = steps_[room * ipu + l.size - 1];
    if (second || s.operations == 0) {
      const bool together = second && in_steps;
      s.time = together ? time : s.time + time;
      s.in[second ? 1 : 0] = in;
      s.out[second ? 1 : 0] = out;
      if (in != run_links::none) s.delay[second ? 1 : 0] = links_.delay[in];
      s.pair = second;
    } else {
      s.after += time;
    }
    s.busy += time;
    ++s.operations;
    std::uint32_t code = 0;
    if constexpr (Log::keeps) {
      const run_event event{static_cast<std::uint16_t>(ipu), static_cast<std::uint16_t>(stage * pass_count + static_cast<std::size_t>(kind)),
                            port | (held ? run_event::held_bit : 0)};
      code = codes_[room * ipu + operations_] = log_.code_of(event, second ? open_ : no_code);
    }
    ++operations_;
    open_ = held ? code : no_code;
  }

  static constexpr bool in_steps = requires { Costs::in_steps; };

  grid where_;
  const Costs& c_;
  const run_links& links_;
  Log& log_;
  dynamic_array<lane> lanes_;
  dynamic_array<program_walk> walks_;
  dynamic_array<program_step> steps_;  // of each IPU
  dynamic_array<std::uint32_t> codes_{};
  std::uint8_t operations_ = 0;        // of the repeat that is read
  std::uint32_t open_ = no_code;       // its operation that runs together with the next one
  bool complete_ = true;
  bool updates_ = false;
};

}  // namespace ipuflow::schedule::impl
