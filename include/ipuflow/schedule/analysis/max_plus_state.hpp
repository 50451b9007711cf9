// SPDX-License-Identifier: BSL-1.0
// All that the times of later operations depend on while a timetable runs: when each IPU is free, and the messages that
// are made and not yet read. Every new time is a maximum of sums of these, so that the operations of a round are a
// max-plus linear map of this state. With growths it also finds for how many rounds the map takes the same maxima.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/message_ring.hpp>
#include <ipuflow/schedule/analysis/run_links.hpp>
#include <ipuflow/schedule/analysis/run_log.hpp>
#include <ipuflow/schedule/analysis/waiting_messages.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// With a log it keeps, of each operation, which argument its maximum took: 0 for what its IPU did before, then the messages that it reads,
/// those of the first of two operations that run together before those of the second, and last of all whose turn it was. Of equal
/// arguments the first one counts.
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
        waiting_{links_.makers.size()} {
    for (std::size_t s = 0; s < t.where.stages; ++s) {
      for (std::size_t k = 0; k < pass_count; ++k) cost_[s * pass_count + k] = c.of(static_cast<pass>(k), s);
    }
    if constexpr (Log::keeps) {
      log_.begin(cost_.size(), links_.ports.size(), links_.most);
      held_codes_ = dynamic_array<std::uint32_t>{lanes_.size(), no_code};
    }
  }

  [[nodiscard]] constexpr std::size_t lanes() const { return lanes_.size(); }
  /// Of an IPU: the start of its first operation, the end of its last one, and the time that it was busy.
  [[nodiscard]] constexpr std::size_t first(std::size_t ipu) const { return lanes_[ipu].first; }
  [[nodiscard]] constexpr std::size_t last(std::size_t ipu) const { return free_[ipu].at; }
  [[nodiscard]] constexpr std::size_t busy(std::size_t ipu) const { return lanes_[ipu].busy; }

  static constexpr bool in_steps = requires { Costs::in_steps; };  ///< two operations that run together take as long as one
  bool updates = false;           ///< an operation was the update of weights
  std::size_t lasts = nowhere;    ///< cycles after the next one in which all maxima stay as they are, where growths are followed

  /// True if all that an operation reads from other IPUs is there.
  constexpr bool ready(std::size_t ipu, const placed& o) const {
    const std::size_t at = port_of(ipu, o);
    if (at == no_port) return true;
    for (std::size_t i = links_.ports[at].first_in; i < links_.ports[at + 1].first_in; ++i) {
      if (waiting_[i].size() == 0) return false;
    }
    return true;
  }

  using event = run_event;

  [[nodiscard]] constexpr const Log& log() const { return log_; }
  /// The time of an operation alone.
  [[nodiscard]] constexpr std::size_t time_of(const event& e) const { return cost_[e.cost]; }
  [[nodiscard]] constexpr const run_links& links() const { return links_; }

  /// Begins a round that can be repeated.
  constexpr void begin_round() {
    if constexpr (Log::keeps) log_.begin_round();
    tape_.clear();
    waiting_.begin_round();
  }
  /// Operations of the last round.
  [[nodiscard]] constexpr std::size_t events() const { return tape_.size(); }
  /// Makes room for a round of that number of operations.
  constexpr void expect(std::size_t operations) {
    if (operations < most_events) tape_.reserve(operations);
  }
  /// True if the round was not too long for that, and its messages allow it.
  constexpr bool can_repeat() { return tape_.size() < most_events && waiting_.can_repeat(); }
  /// True if the times of the state are those of the time before that a round was to be repeated.
  [[nodiscard]] constexpr bool has_same_times() const { return waiting_.are_of_same_links(); }
  /// Begins a cycle of rounds in which times carry their growths.
  constexpr void begin_growth(std::size_t rounds) { lasts = waiting_.last(rounds); }

  constexpr event event_of(std::size_t ipu, const placed& o) {
    updates = updates || o.kind == pass::update;
    pairs_ = pairs_ || o.with_next;
    const bool held = o.with_next && lanes_[ipu].held_port == not_held;
    return {static_cast<std::uint16_t>(ipu),
            static_cast<std::uint16_t>(o.stage * pass_count + static_cast<std::size_t>(o.kind)),
            static_cast<std::uint32_t>(port_of(ipu, o) | (held ? held_bit : 0))};
  }

  /// Does the next operation of an IPU; false if a message that it reads is not there.
  constexpr bool take(const event& now) {
    const std::uint32_t at = now.port_alone();
    if (at != no_port) {
      for (std::uint32_t i = links_.ports[at].first_in; i < links_.ports[at + 1].first_in; ++i) {
        if (waiting_[i].size() == 0) return false;
      }
    }
    if constexpr (Log::keeps) {
      if (now.held()) {
        held_codes_[now.lane] = log_.code_of(now, no_code);  // both are in the log where the second one is
      } else if (lanes_[now.lane].held_port != not_held) {
        log_.add(held_codes_[now.lane]);
        log_.add(log_.code_of(now, held_codes_[now.lane]));
      } else {
        log_.add(log_.code_of(now, no_code));
      }
    }
    if (tape_.size() < most_events) tape_.push_back(now);
    lane& l = lanes_[now.lane];
    l.busy += cost_[now.cost];
    if (run<false>(now) && l.first == nowhere) l.first = free_[now.lane].at - took_;
    return true;
  }

  /// Repeats the last round.
  template <bool Growing>
  constexpr void repeat() {
    if constexpr (Log::keeps) log_.begin_repeat();
    if constexpr (Growing) ++cycle_;
    for (const event& e : tape_) run<Growing>(e);
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
    for (lane& l : lanes_) {
      if (l.held_port != not_held) visit(l.held_ready);
    }
    visit(turn_);
    waiting_.for_each_time(visit);
  }

 private:
  static constexpr std::size_t most_events = std::size_t{1} << 23;
  static constexpr std::uint32_t held_bit = run_event::held_bit;
  static constexpr std::uint32_t no_port = run_event::no_port;
  static constexpr std::uint32_t not_held = held_bit - 2;

  /// The number of the latest of the times that were compared.
  struct pick {
    std::size_t asked = 0;
    std::size_t chosen = 0;
  };
  struct lane {
    std::size_t first = nowhere;
    std::size_t busy = 0;
    growing_time held_ready{};
    std::size_t held_cost = 0;
    std::uint32_t held_port = not_held;
    pick held_pick{};
  };
  constexpr std::size_t port_of(std::size_t ipu, const op& o) const {
    const bool back = is_backward(o.kind);
    if (!back && o.kind != pass::forward) return no_port;
    const std::size_t seat = t_.where.seats() == t_.where.stages ? o.stage : t_.where.seat_of(ipu, o.stage, o.micro_batch);
    return 4 * seat + (o.micro_batch >= half_ ? 2u : 0u) + (back ? 1u : 0u);
  }

  /// The times of an operation; false if it waits for the one that it runs together with.
  template <bool Growing>
  constexpr bool run(const event& e) {
    growing_time now = free_[e.lane];
    pick from;
    std::size_t time = cost_[e.cost];
    const std::uint32_t at = e.port_alone();
    if (pairs_ && (e.held() || lanes_[e.lane].held_port != not_held)) {
      lane& l = lanes_[e.lane];
      if (e.held()) {
        l.held_ready = growing_time{};
        l.held_pick = pick{};
        receive<Growing>(l.held_ready, at, l.held_pick);
        l.held_port = at;
        l.held_cost = time;
        return false;
      }
      from.asked = l.held_pick.chosen - 1;
      latest<Growing>(now, l.held_ready, from);
      from.asked = l.held_pick.asked;
      receive<Growing>(now, at, from);
      take_turn<Growing>(now, from);
      time += in_steps ? 0 : l.held_cost;
      now.at += time;
      send<Growing>(l.held_port, now);
      l.held_port = not_held;
      if constexpr (Log::keeps) log_.choose(from.chosen);
    } else {
      receive<Growing>(now, at, from);
      take_turn<Growing>(now, from);
      now.at += time;
    }
    if constexpr (Log::keeps) log_.choose(from.chosen);
    took_ = time;
    if (one_at_a_time_) turn_ = now;
    put<Growing>(free_[e.lane], now);
    send<Growing>(at, now);
    return true;
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
      const growing_time made = waiting_[i].take();
      latest<Growing>(now, {made.at + links_.delay[i], Growing ? made.growth : 0}, from);
    }
  }
  template <bool Growing>
  constexpr void send(std::uint32_t from, const growing_time& made) {
    if (from == no_port) return;
    const std::uint32_t end = links_.ports[from + 1].first_out;
    for (std::uint32_t i = links_.ports[from].first_out; i < end; ++i) put<Growing>(waiting_[links_.out[i]].add(), made);
  }

  /// The later of two times; of equal ones, that which grows faster. The other one must not overtake it. Where it is kept which one is taken,
  /// that must be the same in all cycles, also in those in which they are equal.
  template <bool Growing>
  constexpr void latest(growing_time& now, growing_time other, pick& from) {
    ++from.asked;
    if constexpr (!Growing) {
      if (other.at <= now.at) return;
      put<false>(now, other);
      from.chosen = from.asked;
    } else {
      const bool equal = other.at == now.at;
      const bool later = other.at > now.at || (equal && other.growth > now.growth);
      if (later) {
        const growing_time kept = now;
        now = other;
        other = kept;
        if (Log::keeps && equal) {
          lasts = 0;
        } else {
          from.chosen = from.asked;
        }
      }
      if (other.growth <= now.growth) return;
      const std::size_t ahead = now.at - other.at - (Log::keeps && later ? 1 : 0);
      const std::size_t cycles = ahead / (other.growth - now.growth);
      if (cycles < lasts) lasts = cycles;
    }
  }

  const T& t_;
  bool one_at_a_time_;
  bool pairs_ = false;  // some operations run together with the next one
  std::size_t half_;
  growing_time turn_{};
  std::size_t took_ = 0;
  dynamic_array<growing_time> free_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> cost_;
  run_links links_;
  waiting_messages waiting_;
  dynamic_array<event> tape_{};
  Log log_{};
  dynamic_array<std::uint32_t> held_codes_{};  // of each IPU, where there is a log
  std::size_t cycle_ = 0;                      // rounds since times began to carry their growths
};

}  // namespace ipuflow::schedule::impl
