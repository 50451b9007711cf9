// SPDX-License-Identifier: BSL-1.0
// All that the times of later operations depend on while a timetable runs: when each IPU is free, and the messages that
// are made and not yet read. Every new time is a maximum of sums of these, so that the operations of a round are a
// max-plus linear map of this state. With growths it also finds for how many rounds the map takes the same maxima.
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

/// With a log it keeps, of each operation, which argument its maximum took: 0 for what its IPU did before, then the messages that it reads,
/// and last of all whose turn it was. Of equal arguments the first one counts. No two operations run together.
template <timetable T, pricing Costs, class Log = no_log>
class max_plus_state {
 public:
  constexpr max_plus_state(const T& t, const Costs& c)
      : t_{t},
        one_at_a_time_{t.goes == pace::in_turn},
        half_{t.where.directions() == 2 ? t.where.micro_batches / 2 : nowhere},
        free_{t.where.ipus},
        lanes_{t.where.ipus},
        cost_{t.where.stages * pass_count},
        links_{t.where, c},
        waiting_{links_.makers.size()},
        log_{begun_log<Log>(cost_.size(), links_)} {
    for (std::size_t s = 0; s < t.where.stages; ++s) {
      for (std::size_t k = 0; k < pass_count; ++k) cost_[s * pass_count + k] = c.of(static_cast<pass>(k), s);
    }
  }

  [[nodiscard]] constexpr std::size_t lanes() const { return lanes_.size(); }
  /// Of an IPU: the start of its first operation, the end of its last one, and the time that it was busy.
  [[nodiscard]] constexpr std::size_t first(std::size_t ipu) const { return lanes_[ipu].first; }
  [[nodiscard]] constexpr std::size_t last(std::size_t ipu) const { return free_[ipu].at; }
  [[nodiscard]] constexpr std::size_t busy(std::size_t ipu) const { return lanes_[ipu].busy; }

  static constexpr bool in_steps = requires { Costs::in_steps; };
  std::size_t lasts = nowhere;    ///< cycles after the next one in which all maxima stay as they are, where growths are followed

  using event = run_event;

  /// True if an operation was the update of weights.
  [[nodiscard]] constexpr bool updates() const { return updates_; }

  [[nodiscard]] constexpr const Log& log() const { return log_; }
  /// The time of an operation alone.
  [[nodiscard]] constexpr std::size_t time_of(const event& e) const { return cost_[e.cost]; }
  [[nodiscard]] constexpr const run_links& links() const { return links_; }

  /// Begins a round that can be repeated.
  constexpr void begin_round() {
    if constexpr (Log::keeps) log_.begin_round();
    tape_.clear();
  }
  /// Operations of the last round.
  [[nodiscard]] constexpr std::size_t events() const { return tape_.size(); }
  /// Makes room for a round of that number of operations.
  constexpr void expect(std::size_t operations) {
    if (operations < most_events) tape_.reserve(operations);
  }
  /// True if the round was not too long for that, and its messages allow it.
  constexpr bool can_repeat() {
    if (tape_.size() >= most_events) return false;
    for (const event& e : tape_) {
      if (e.port == no_port) continue;
      const auto& port = links_.ports[e.port];
      const auto& end = links_.ports[e.port + 1];
      for (std::uint32_t i = port.first_in; i < end.first_in; ++i) waiting_.count_read(i);
      for (std::uint32_t i = port.first_out; i < end.first_out; ++i) waiting_.count_written(links_.out[i]);
    }
    return waiting_.can_repeat();
  }
  /// True if the times of the state are those of the time before that a round was to be repeated.
  [[nodiscard]] constexpr bool has_same_times() const { return waiting_.are_of_same_links(); }
  /// Begins a cycle of rounds in which times carry their growths.
  constexpr void begin_growth(std::size_t rounds) { lasts = waiting_.last(rounds); }

  constexpr event event_of(std::size_t ipu, const op& o) {
    updates_ = updates_ || o.kind == pass::update;
    return {static_cast<std::uint16_t>(ipu), static_cast<std::uint16_t>(o.stage * pass_count + static_cast<std::size_t>(o.kind)),
            static_cast<std::uint32_t>(port_of(ipu, o))};
  }

  /// Does the next operation of an IPU; false if a message that it reads is not there.
  constexpr bool take(const event& now) {
    if (now.port != no_port) {
      for (std::uint32_t i = links_.ports[now.port].first_in; i < links_.ports[now.port + 1].first_in; ++i) {
        if (waiting_.empty(i)) return false;
      }
    }
    if constexpr (Log::keeps) log_.add(log_.code_of(now, no_code));
    if (tape_.size() < most_events) tape_.push_back(now);
    lane& l = lanes_[now.lane];
    l.busy += cost_[now.cost];
    typename Log::writer choices{log_};
    run<false>(now, choices);
    choices.finish();
    if (l.first == nowhere) l.first = free_[now.lane].at - cost_[now.cost];
    return true;
  }

  /// Repeats the last round.
  template <bool Growing>
  constexpr void repeat() {
    if constexpr (Log::keeps) log_.begin_repeat();
    if constexpr (Growing) ++cycle_;
    typename Log::writer choices{log_};
    for (const event& e : tape_) run<Growing>(e, choices);
    choices.finish();
  }
  constexpr void have_repeated(std::size_t rounds) {
    for (const event& e : tape_) lanes_[e.lane].busy += rounds * cost_[e.cost];
  }
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

 private:
  static constexpr std::size_t most_events = std::size_t{1} << 23;
  static constexpr std::uint32_t no_port = run_event::no_port;

  /// The number of the latest of the times that were compared.
  struct pick {
    std::size_t asked = 0;
    std::size_t chosen = 0;
  };
  struct lane {
    std::size_t first = nowhere;
    std::size_t busy = 0;
  };
  constexpr std::size_t port_of(std::size_t ipu, const op& o) const {
    const bool back = is_backward(o.kind);
    if (!back && o.kind != pass::forward) return no_port;
    const std::size_t seat = t_.where.seats() == t_.where.stages ? o.stage : t_.where.seat_of(ipu, o.stage, o.micro_batch);
    return 4 * seat + (o.micro_batch >= half_ ? 2u : 0u) + (back ? 1u : 0u);
  }

  /// The times of an operation.
  template <bool Growing>
  constexpr void run(const event& e, typename Log::writer& choices) {
    growing_time now{free_[e.lane].at, Growing ? free_[e.lane].growth : 0};  // one word where one was written
    pick from;
    receive<Growing>(now, e.port, from);
    take_turn<Growing>(now, from);
    now.at += cost_[e.cost];
    choices.choose(from.chosen);
    if (one_at_a_time_) turn_ = now;
    put<Growing>(free_[e.lane], now);
    send<Growing>(e.port, now);
  }

  template <bool Growing>
  constexpr void take_turn(growing_time& now, pick& from) {
    if (!one_at_a_time_) return;
    if constexpr (Log::keeps) from.asked = log_.last_choice() - 1;
    latest<Growing>(now, turn_, from);
  }
  template <bool Growing>
  static constexpr void put(growing_time& to, const growing_time& from) {
    to.at = from.at;
    if constexpr (Growing) to.growth = from.growth;
  }
  template <bool Growing>
  constexpr void receive(growing_time& now, std::uint32_t at, pick& from) {
    if (at == no_port) return;
    const std::uint32_t end = links_.ports[at + 1].first_in;
    for (std::uint32_t i = links_.ports[at].first_in; i < end; ++i) {
      const growing_time made = waiting_.template take<Growing>(i);
      latest<Growing>(now, {made.at + links_.delay[i], made.growth}, from);
    }
  }
  template <bool Growing>
  constexpr void send(std::uint32_t from, const growing_time& made) {
    if (from == no_port) return;
    const std::uint32_t end = links_.ports[from + 1].first_out;
    for (std::uint32_t i = links_.ports[from].first_out; i < end; ++i) waiting_.template add<Growing>(links_.out[i], made);
  }

  template <bool Growing>
  constexpr void latest(growing_time& now, growing_time other, pick& from) {
    ++from.asked;
    if constexpr (Growing) {
      if (take_later<Log::keeps>(now, other, lasts)) from.chosen = from.asked;
    } else if (other.at > now.at) {
      put<false>(now, other);
      from.chosen = from.asked;
    }
  }

  const T& t_;
  bool one_at_a_time_;
  bool updates_ = false;
  std::size_t half_;
  growing_time turn_{};
  dynamic_array<growing_time> free_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> cost_;
  run_links links_;
  waiting_messages waiting_;
  dynamic_array<event> tape_{};
  Log log_;
  std::size_t cycle_ = 0;                      // rounds since times began to carry their growths
};

}  // namespace ipuflow::schedule::impl
