// SPDX-License-Identifier: BSL-1.0
// The critical path of a run from its log, backwards: from the last operation to the one that it waited for, and so on. The n-th message of a
// link is that of the n-th operation which makes one, so it is found by counting.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/path_visits.hpp>
#include <ipuflow/schedule/analysis/round_index.hpp>
#include <ipuflow/schedule/analysis/run_log.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// An operation of the path. Numbers count those of its stream, and all of its IPU.
struct traced_op {
  std::uint32_t code = 0;
  std::size_t number = 0;
  std::size_t position = 0;
  std::size_t start = 0;
  std::size_t finish = 0;
};

/// Operations of the path, from `begin` to `end`, that come `more` times more: each time `every` earlier, `rounds` earlier.
struct traced_body {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t more = 0;
  std::size_t every = 0;
  dynamic_array<std::size_t> numbers{};    ///< of each operation, what its number is less by
  dynamic_array<std::size_t> positions{};
};

template <class State>
class path_trace {
 public:
  constexpr explicit path_trace(const State& state) : state_{state}, log_{state.log()}, done_{log_.entries().size()} {
    of_stream_ = dynamic_array<std::uint32_t>{log_.streams(), no_code};
    of_lane_ = dynamic_array<std::uint32_t>{state.lanes(), no_code};
    next_of_stream_ = next_of_lane_ = dynamic_array<std::uint32_t>{done_.size(), no_code};
    for (std::uint32_t code = 0; code < done_.size(); ++code) {
      link(of_stream_[entry(code).stream], next_of_stream_[code], code);
      link(of_lane_[entry(code).event.lane], next_of_lane_[code], code);
    }
    for (const auto& s : log_.sections()) {
      for (std::size_t i = 0; i < s.events; ++i) done_[log_.code(s, i)] += s.rounds;
    }
  }

  /// Follows the path to the last operation of an IPU.
  constexpr void run(std::size_t lane) {
    wanted_ = {.lane = static_cast<std::uint32_t>(lane), .back = 1};
    finish_ = state_.last(lane);
    for (std::size_t s = log_.sections().size(); s-- > 0 && !ended_;) {
      const section& rounds = log_.sections()[s];
      if (rounds.rounds == 1) {
        scan(rounds);
      } else {
        jump(rounds);
      }
    }
  }

  /// From the last one to the first one.
  [[nodiscard]] constexpr const dynamic_array<traced_op>& ops() const { return ops_; }
  [[nodiscard]] constexpr const dynamic_array<traced_body>& bodies() const { return bodies_; }
  [[nodiscard]] constexpr const basic_run_log<>::entry& entry(std::uint32_t code) const { return log_.entries()[code]; }

 private:
  using section = basic_run_log<>::section;
  using left_out = basic_run_log<>::left_out;

  /// The operation to find: that many back on an IPU, or one of a stream by its number, or just the one before.
  struct target {
    std::uint32_t lane = no_code;
    std::size_t back = 0;
    std::uint32_t stream = no_code;
    std::size_t number = 0;
    bool any = false;
  };

  static constexpr void link(std::uint32_t& head, std::uint32_t& next, std::uint32_t code) {
    next = head;
    head = code;
  }

  /// Operations of a stream, or of an IPU, before the place where the trace is.
  constexpr std::size_t number(std::uint32_t stream) const {
    std::size_t sum = 0;
    for (std::uint32_t c = of_stream_[stream]; c != no_code; c = next_of_stream_[c]) sum += done_[c];
    if (index_.known()) sum += index_.of_stream(stream).before(at_.round, at_.event);
    return sum;
  }
  constexpr std::size_t position(std::size_t lane) const {
    std::size_t sum = 0;
    for (std::uint32_t c = of_lane_[lane]; c != no_code; c = next_of_lane_[c]) sum += done_[c];
    if (index_.known()) sum += index_.of_lane(lane).before(at_.round, at_.event);
    return sum;
  }

  /// A round that has no other like it: one operation after the other.
  constexpr void scan(const section& s) {
    for (std::size_t i = s.events; i-- > 0;) {
      const std::uint32_t code = log_.code(s, i);
      --done_[code];
      const auto& e = entry(code);
      const bool found = e.event.lane == wanted_.lane ? --wanted_.back == 0
                                                      : wanted_.any || (e.stream == wanted_.stream && number(e.stream) == wanted_.number);
      if (!found) continue;
      take(s, i, log_.choice(s.choices + i));
      if (ended_) return;
    }
  }

  /// Rounds of the same operations: from place to place.
  constexpr void jump(const section& s) {
    for (std::size_t i = 0; i < s.events; ++i) done_[log_.code(s, i)] -= s.rounds;
    index_.read(log_, s, state_.lanes());
    at_ = {s.rounds, 0};
    visits_ = {};
    while (!ended_ && go_back(s)) {
      const left_out* const skip = left_out_at(s, at_.round);
      if (skip != nullptr && at_.round < skip->at + skip->rounds) look_for_body(*skip);
      take(s, at_.event, choice(s));
    }
    index_.forget();
  }

  /// Goes to the operation that is wanted; false if that is before this section.
  constexpr bool go_back(const section& s) {
    round_place to{};
    if (wanted_.any) {
      if (at_.event == 0 && at_.round == 0) return false;
      to = at_.event > 0 ? round_place{at_.round, at_.event - 1} : round_place{at_.round - 1, s.events - 1};
    } else if (wanted_.lane != no_code) {
      const auto of = index_.of_lane(wanted_.lane);
      const std::size_t before = of.before(at_.round, at_.event);
      if (before < wanted_.back) {
        wanted_.back -= before;
        return false;
      }
      to = of.at(before - wanted_.back);
    } else {
      std::size_t earlier = 0;
      for (std::uint32_t c = of_stream_[wanted_.stream]; c != no_code; c = next_of_stream_[c]) earlier += done_[c];
      if (wanted_.number < earlier) return false;
      to = index_.of_stream(wanted_.stream).at(wanted_.number - earlier);
    }
    at_ = to;
    return true;
  }

  /// The last rounds that were left out at or before a round of a section.
  constexpr const left_out* left_out_at(const section& s, std::size_t round) const {
    return left_out_before(log_.skips(), s.first_left_out, s.end_left_out, round);
  }
  /// The choice of the operation at hand: rounds that were left out have those of one that was not.
  constexpr std::size_t choice(const section& s) const {
    std::size_t logged = at_.round;
    if (const left_out* const skip = left_out_at(s, at_.round)) {
      const std::size_t more = at_.round - skip->at;
      logged = more >= skip->rounds ? skip->logged + more - skip->rounds : skip->logged - skip->cycle + more % skip->cycle;
    }
    return log_.choice(s.choices + logged * s.events + at_.event);
  }

  /// If the path has been at this place of the cycle before, the part between repeats; the trace goes to its earliest time.
  constexpr void look_for_body(const left_out& skip) {
    const std::size_t phase = (at_.round - skip.at) % skip.cycle;
    path_visit before;
    if (!visits_.again({&skip, phase, at_.event, at_.round, ops_.size(), finish_}, before)) return;
    const std::size_t rounds = before.at - at_.round;
    const std::size_t more = (at_.round + skip.cycle - skip.at) / rounds;
    if (more > 0) leave_out(before, rounds, more);
  }
  constexpr void leave_out(const path_visit& before, std::size_t rounds, std::size_t more) {
    traced_body body{before.ops, ops_.size(), more, before.finish - finish_, {}, {}};
    for (std::size_t i = body.begin; i < body.end; ++i) {
      const auto& e = entry(ops_[i].code);
      body.numbers.push_back(rounds * index_.of_stream(e.stream).size());
      body.positions.push_back(rounds * index_.of_lane(e.event.lane).size());
    }
    finish_ -= more * body.every;
    at_.round -= more * rounds;
    bodies_.push_back(static_cast<traced_body&&>(body));
  }

  /// Adds the operation at hand to the path, and finds which one it waited for.
  constexpr void take(const section& s, std::size_t event, std::size_t choice) {
    const std::uint32_t code = log_.code(s, event);
    const auto& e = entry(code);
    const bool first = e.event.held();  // of two that run together
    const std::uint32_t mate = first ? log_.code(s, event + 1) : e.mate;
    const std::size_t before = position(e.event.lane);
    const std::size_t own = number(e.stream);
    std::size_t time = state_.time_of(e.event);
    if (mate != no_code && !State::in_steps) time += state_.time_of(entry(mate).event);
    ops_.push_back({code, own, before, finish_ - time, finish_});
    finish_ -= time;
    wanted_ = {};
    if (choice == log_.last_choice()) {
      wanted_.any = true;
      return;
    }
    const std::uint32_t back = !first && mate != no_code ? 2 : 1;
    if (choice == 0) {
      wanted_ = {.lane = e.event.lane, .back = back};
      ended_ = before < back;
      return;
    }
    std::size_t link = choice - 1;
    std::uint32_t reader = first || mate == no_code ? code : mate;
    if (const std::size_t messages = end_link(reader) - first_link(reader); link >= messages) {
      link -= messages;
      reader = first ? mate : code;
    }
    const std::uint32_t stream = entry(reader).stream;
    std::size_t of_reader = own;
    if (reader != code) of_reader = number(stream) + (first ? 0 : std::size_t{0} - 1) + (first && stream == e.stream ? 1 : 0);
    link += first_link(reader);
    finish_ -= state_.links().delay[link];
    wanted_ = {.stream = state_.links().makers[link], .number = of_reader};
  }
  /// The links that an operation reads.
  constexpr std::size_t first_link(std::uint32_t code) const {
    const std::uint32_t port = entry(code).event.port_alone();
    return port == run_event::no_port ? 0 : state_.links().ports[port].first_in;
  }
  constexpr std::size_t end_link(std::uint32_t code) const {
    const std::uint32_t port = entry(code).event.port_alone();
    return port == run_event::no_port ? 0 : state_.links().ports[port + 1].first_in;
  }

  const State& state_;
  const basic_run_log<>& log_;
  dynamic_array<std::size_t> done_;      // of each code, how many are before the place at hand, or before its section
  dynamic_array<std::uint32_t> of_stream_{}, next_of_stream_{}, of_lane_{}, next_of_lane_{};
  round_index index_{};
  round_place at_{};
  target wanted_{};
  std::size_t finish_ = 0;
  bool ended_ = false;
  path_visits visits_{};
  dynamic_array<traced_op> ops_{};
  dynamic_array<traced_body> bodies_{};
};

}  // namespace ipuflow::schedule::impl
