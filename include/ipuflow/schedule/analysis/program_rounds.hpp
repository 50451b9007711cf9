// SPDX-License-Identifier: BSL-1.0
// A program, run in rounds: through all IPUs, there and back, each of which does what its phase has in one repeat, as far as what that
// reads is there. Passes of a chunk number their micro-batches in order, so messages are read in that order. Where every IPU does a whole
// repeat and as many messages wait as before, the next round is alike. It is a state and its rounds at once, for `steady_run`.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/growing_time.hpp>
#include <ipuflow/schedule/analysis/program_steps.hpp>
#include <ipuflow/schedule/analysis/run_links.hpp>
#include <ipuflow/schedule/analysis/run_log.hpp>
#include <ipuflow/schedule/analysis/run_state.hpp>
#include <ipuflow/schedule/forms/program.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// With a log it keeps, of each operation, which argument its maximum took: 0 for what its IPU did before, then the messages that it reads,
/// those of the first of two operations that run together before those of the second. Of equal arguments the first one counts.
template <pricing Costs, class Log = no_log>
class program_rounds : public run_state<Log> {
 public:
  constexpr program_rounds(const program& t, const Costs& c)
      : run_state<Log>{t.where, c}, costs_{c}, lanes_{t.where.ipus}, steps_{t, c, links_, log_} {
    for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) left_ += steps_.size(ipu) > 0 ? 1u : 0u;
  }

  /// The time of an operation alone.
  [[nodiscard]] constexpr std::size_t time_of(const run_event& e) const { return costs_.of(static_cast<pass>(e.cost % pass_count), e.cost / pass_count); }
  /// True if an operation is the update of weights.
  [[nodiscard]] constexpr bool updates() const { return steps_.updates(); }
  static constexpr bool in_steps = requires { Costs::in_steps; };  ///< two operations that run together take as long as one

  [[nodiscard]] constexpr bool done() const { return left_ == 0; }

  template <class State>
  constexpr bool round(State&) {
    std::size_t waiting = 0;  // IPUs that have steps left of the round
    for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
      lane& l = lanes_[ipu];
      l.left = steps_.size(ipu);
      l.runs = l.left > 0;
      l.begin = {steps_.kind(ipu), steps_.repeat(ipu), l.next};
      waiting += l.runs ? 1u : 0u;
    }
    for (std::size_t before = nowhere; waiting > 0 && before != tape_.size();) {  // there and back, or what goes back would get on by one IPU a round
      before = tape_.size();
      for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) waiting -= lanes_[ipu].left > 0 && go_on(ipu) ? 1u : 0u;
      for (std::size_t ipu = lanes_.size(); ipu-- > 0 && waiting > 0;) waiting -= lanes_[ipu].left > 0 && go_on(ipu) ? 1u : 0u;
    }
    count_alike();
    return !tape_.empty();
  }
  [[nodiscard]] constexpr std::size_t alike() const { return alike_; }
  constexpr void leave_out(std::size_t rounds) {
    for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
      if (lanes_[ipu].runs) steps_.leave_out(ipu, rounds);
    }
  }

  constexpr void begin_round() {
    if constexpr (Log::keeps) log_.begin_round();
    tape_.clear();
  }
  /// Steps of the last round.
  [[nodiscard]] constexpr std::size_t events() const { return tape_.size(); }
  constexpr bool can_repeat() {
    for (const std::uint32_t i : tape_) {
      for (const std::uint32_t link : steps_[i].in) {
        if (link != run_links::none) waiting_.count_read(link);
      }
      for (const std::uint32_t link : steps_[i].out) {
        if (link != run_links::none) waiting_.count_written(link);
      }
    }
    return waiting_.can_repeat();
  }
  constexpr void have_repeated(std::size_t rounds) {
    for (const std::uint32_t i : tape_) busy_[steps_[i].lane] += rounds * steps_[i].busy;
  }

  /// Repeats the last round.
  template <bool Growing>
  constexpr void repeat() {
    this->template begin_repeat<Growing>();
    typename Log::writer choices{log_};
    for (const std::uint32_t i : tape_) run<Growing>(steps_[i], choices);
    choices.finish();
  }
 private:
  using base = run_state<Log>;
  using base::busy_;
  using base::first_;
  using base::free_;
  using base::links_;
  using base::log_;
  using base::waiting_;

  /// A place among the steps of an IPU.
  struct place {
    std::size_t kind = 0;
    std::size_t repeat = 0;
    std::size_t next = 0;
  };
  struct lane {
    std::size_t next = 0;  // step of the repeat at hand
    std::size_t left = 0;  // steps of the round
    bool runs = false;     // in the round
    place begin{};         // of the round
  };

  [[nodiscard]] constexpr bool ready(const program_step& s) const {
    if (s.in[0] != run_links::none && waiting_.empty(s.in[0])) return false;
    if (!s.pair || s.in[1] == run_links::none) return true;
    return s.in[0] == s.in[1] ? waiting_.size(s.in[1]) > 1 : !waiting_.empty(s.in[1]);
  }

  /// Does what an IPU has left of the round, as far as it is ready; true if that was all.
  constexpr bool go_on(std::size_t ipu) {
    lane& l = lanes_[ipu];
    typename Log::writer choices{log_};
    while (l.left > 0) {
      const std::uint32_t i = steps_.index(ipu, l.next);
      const program_step& s = steps_[i];
      if (!ready(s)) break;
      take(s, i, choices);
      --l.left;
      if (++l.next < steps_.size(ipu)) continue;
      l.next = 0;
      steps_.go_on(ipu);
      if (steps_.size(ipu) > 0) continue;
      l.left = 0;
      --left_;
    }
    choices.finish();
    return l.left == 0;
  }
  constexpr void take(const program_step& s, std::uint32_t index, typename Log::writer& choices) {
    if constexpr (Log::keeps) {
      for (std::size_t i = 0; i < s.operations; ++i) log_.add(steps_.code(s, i));
    }
    tape_.push_back(index);
    run<false>(s, choices);
    busy_[s.lane] += s.busy;
    if (first_[s.lane] == nowhere) first_[s.lane] = free_[s.lane].at - s.after - s.time;
  }

  /// The repeats that follow, if each IPU has done one in the round.
  constexpr void count_alike() {
    alike_ = nowhere;
    for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
      const lane& l = lanes_[ipu];
      if (!l.runs) continue;
      const bool one = l.begin.kind == steps_.kind(ipu) && l.begin.repeat + 1 == steps_.repeat(ipu) && l.begin.next == l.next;
      const std::size_t more = one ? steps_.repeats(ipu) - steps_.repeat(ipu) - 1 : 0;
      if (more < alike_) alike_ = more;
    }
    if (alike_ == nowhere) alike_ = 0;
  }

  template <bool Growing>
  constexpr void run(const program_step& s, typename Log::writer& choices) {
    growing_time now = this->template free_at<Growing>(s.lane);
    std::size_t choice = 0;
    receive<Growing>(now, s.in[0], s.delay[0], choice, 1);
    if (s.pair) receive<Growing>(now, s.in[1], s.delay[1], choice, s.in[0] == run_links::none ? 1 : 2);
    now.at += s.time;
    send<Growing>(s.out[0], now);
    if (s.pair) send<Growing>(s.out[1], now);
    now.at += s.after;
    this->template put<Growing>(free_[s.lane], now);
    choices.choose(choice, s.operations, s.pair);
  }
  template <bool Growing>
  constexpr void receive(growing_time& now, std::uint32_t link, std::size_t delay, std::size_t& choice, std::size_t number) {
    if (link == run_links::none) return;
    const growing_time made = waiting_.template take<Growing>(link);
    const growing_time there{made.at + delay, made.growth};
    if constexpr (Growing) {
      if (take_later<Log::keeps>(now, there, this->lasts)) choice = number;
    } else {  // no branch: which one is later is as hard to foresee as the costs
      const std::size_t later = std::size_t{0} - (there.at > now.at ? 1u : 0u);
      now.at ^= (now.at ^ there.at) & later;
      choice ^= (choice ^ number) & later;
    }
  }
  template <bool Growing>
  constexpr void send(std::uint32_t link, const growing_time& made) {
    if (link != run_links::none) waiting_.template add<Growing>(link, made);
  }

  const Costs& costs_;
  dynamic_array<lane> lanes_;
  program_steps<Costs, Log> steps_;
  dynamic_array<std::uint32_t> tape_{};  // steps of the last round
  std::size_t left_ = 0;                 // IPUs that are not done
  std::size_t alike_ = 0;
};

}  // namespace ipuflow::schedule::impl
