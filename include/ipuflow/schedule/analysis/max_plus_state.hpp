// SPDX-License-Identifier: BSL-1.0
// The state of a modular timetable that is run in rounds, one operation after the other. Every new time is a maximum of sums of those of the
// state, so that the operations of a round are a max-plus linear map of it. With growths it also finds for how many rounds the map takes the
// same maxima.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/growing_time.hpp>
#include <ipuflow/schedule/analysis/run_links.hpp>
#include <ipuflow/schedule/analysis/run_log.hpp>
#include <ipuflow/schedule/analysis/run_state.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// With a log it keeps, of each operation, which argument its maximum took: 0 for what its IPU did before, then the messages that it reads,
/// and last of all whose turn it was. Of equal arguments the first one counts. No two operations run together.
template <timetable T, pricing Costs, class Log = no_log>
class max_plus_state : public run_state<Log> {
 public:
  constexpr max_plus_state(const T& t, const Costs& c)
      : run_state<Log>{t.where, c},
        t_{t},
        one_at_a_time_{t.goes == pace::in_turn},
        half_{t.where.directions() == 2 ? t.where.micro_batches / 2 : nowhere},
        cost_{t.where.stages * pass_count} {
    for (std::size_t s = 0; s < t.where.stages; ++s) {
      for (std::size_t k = 0; k < pass_count; ++k) cost_[s * pass_count + k] = c.of(static_cast<pass>(k), s);
    }
  }

  static constexpr bool in_steps = requires { Costs::in_steps; };
  using event = run_event;

  /// True if an operation was the update of weights.
  [[nodiscard]] constexpr bool updates() const { return updates_; }

  /// The time of an operation alone.
  [[nodiscard]] constexpr std::size_t time_of(const event& e) const { return cost_[e.cost]; }

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
    busy_[now.lane] += cost_[now.cost];
    typename Log::writer choices{log_};
    run<false>(now, choices);
    choices.finish();
    if (first_[now.lane] == nowhere) first_[now.lane] = free_[now.lane].at - cost_[now.cost];
    return true;
  }

  /// Repeats the last round.
  template <bool Growing>
  constexpr void repeat() {
    this->template begin_repeat<Growing>();
    typename Log::writer choices{log_};
    for (const event& e : tape_) run<Growing>(e, choices);
    choices.finish();
  }
  constexpr void have_repeated(std::size_t rounds) {
    for (const event& e : tape_) busy_[e.lane] += rounds * cost_[e.cost];
  }

 private:
  using base = run_state<Log>;
  using base::busy_;
  using base::first_;
  using base::free_;
  using base::links_;
  using base::log_;
  using base::turn_;
  using base::waiting_;

  static constexpr std::size_t most_events = std::size_t{1} << 23;
  static constexpr std::uint32_t no_port = run_event::no_port;

  /// The number of the latest of the times that were compared.
  struct pick {
    std::size_t asked = 0;
    std::size_t chosen = 0;
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
    growing_time now = this->template free_at<Growing>(e.lane);
    pick from;
    receive<Growing>(now, e.port, from);
    take_turn<Growing>(now, from);
    now.at += cost_[e.cost];
    choices.choose(from.chosen);
    if (one_at_a_time_) turn_ = now;
    this->template put<Growing>(free_[e.lane], now);
    send<Growing>(e.port, now);
  }

  template <bool Growing>
  constexpr void take_turn(growing_time& now, pick& from) {
    if (!one_at_a_time_) return;
    if constexpr (Log::keeps) from.asked = log_.last_choice() - 1;
    latest<Growing>(now, turn_, from);
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
      if (take_later<Log::keeps>(now, other, this->lasts)) from.chosen = from.asked;
    } else if (other.at > now.at) {
      now.at = other.at;
      from.chosen = from.asked;
    }
  }

  const T& t_;
  bool one_at_a_time_;
  bool updates_ = false;
  std::size_t half_;
  dynamic_array<std::size_t> cost_;
  dynamic_array<event> tape_{};
};

}  // namespace ipuflow::schedule::impl
