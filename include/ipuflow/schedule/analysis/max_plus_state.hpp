// SPDX-License-Identifier: BSL-1.0
// All that the times of later operations depend on while a timetable runs: when each IPU is free, and the messages that
// are made and not yet read. Every new time is a maximum of sums of these, so that the operations of a round are a
// max-plus linear map of this state. With growths it also finds for how many rounds the map takes the same maxima.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/message_ring.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

template <timetable T, pricing Costs>
class max_plus_state {
 public:
  constexpr max_plus_state(const T& t, const Costs& c)
      : t_{t},
        one_at_a_time_{t.goes == pace::in_turn},
        half_{t.where.directions() == 2 ? t.where.micro_batches / 2 : nowhere},
        free_{t.where.ipus},
        lanes_{t.where.ipus},
        cost_{t.where.stages * pass_count},
        ports_{4 * t.where.seats() + 1} {
    for (std::size_t s = 0; s < t.where.stages; ++s) {
      for (std::size_t k = 0; k < pass_count; ++k) cost_[s * pass_count + k] = c.of(static_cast<pass>(k), s);
    }
    link(c);
  }

  [[nodiscard]] constexpr std::size_t lanes() const { return lanes_.size(); }
  /// Of an IPU: the start of its first operation, the end of its last one, and the time that it was busy.
  [[nodiscard]] constexpr std::size_t first(std::size_t ipu) const { return lanes_[ipu].first; }
  [[nodiscard]] constexpr std::size_t last(std::size_t ipu) const { return free_[ipu].at; }
  [[nodiscard]] constexpr std::size_t busy(std::size_t ipu) const { return lanes_[ipu].busy; }

  bool updates = false;           ///< an operation was the update of weights
  std::size_t lasts = nowhere;    ///< cycles after the next one in which all maxima stay as they are, where growths are followed

  /// True if all that an operation reads from other IPUs is there.
  constexpr bool ready(std::size_t ipu, const placed& o) const {
    const std::size_t at = port_of(ipu, o);
    if (at == no_port) return true;
    for (std::size_t i = ports_[at].first_in; i < ports_[at + 1].first_in; ++i) {
      if (rings_[i].size() == 0) return false;
    }
    return true;
  }

  /// Begins a round that can be repeated.
  constexpr void begin_round() {
    tape_.clear();
    for (std::size_t i = 0; i < rings_.size(); ++i) waiting_[i] = rings_[i].size();
  }
  /// Operations of the last round.
  [[nodiscard]] constexpr std::size_t events() const { return tape_.size(); }
  /// Makes room for a round of that number of operations.
  constexpr void expect(std::size_t operations) {
    if (operations < most_events) tape_.reserve(operations);
  }
  /// True if the round was not too long for that, and leaves as many messages waiting as there were before it.
  [[nodiscard]] constexpr bool can_repeat() const {
    bool same = tape_.size() < most_events;
    for (std::size_t i = 0; i < rings_.size() && same; ++i) same = waiting_[i] == rings_[i].size();
    return same;
  }

  /// An operation without its micro-batch.
  struct event {
    std::uint16_t lane = 0;
    std::uint16_t cost = 0;
    std::uint32_t port = 0;  ///< with `held_bit`, if it runs together with the next one

    friend constexpr bool operator==(const event&, const event&) = default;
  };
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
    const std::uint32_t at = now.port & ~held_bit;
    if (at != no_port) {
      for (std::uint32_t i = ports_[at].first_in; i < ports_[at + 1].first_in; ++i) {
        if (rings_[i].size() == 0) return false;
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
    for (const event& e : tape_) run<Growing>(e);
  }
  constexpr void have_repeated(std::size_t rounds) {
    for (const event& e : tape_) lanes_[e.lane].busy += rounds * cost_[e.cost];
  }
  /// All times grow, by `cycles` times their growth.
  constexpr void grow(std::size_t cycles) {
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
    for (message_ring& r : rings_) {
      for (std::size_t i = 0; i < r.size(); ++i) visit(r[i]);
    }
  }

 private:
  static constexpr bool in_steps = requires { Costs::in_steps; };
  static constexpr std::size_t most_events = std::size_t{1} << 22;
  static constexpr std::uint32_t held_bit = std::uint32_t{1} << 31;
  static constexpr std::uint32_t no_port = held_bit - 1;
  static constexpr std::uint32_t not_held = held_bit - 2;

  struct lane {
    std::size_t first = nowhere;
    std::size_t busy = 0;
    growing_time held_ready{};
    std::size_t held_cost = 0;
    std::uint32_t held_port = not_held;
  };
  struct port {
    std::uint32_t first_in = 0;   ///< its links are those up to the first one of the next port
    std::uint32_t first_out = 0;
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
    std::size_t time = cost_[e.cost];
    const std::uint32_t at = e.port & ~held_bit;
    if (pairs_ && (e.port >= held_bit || lanes_[e.lane].held_port != not_held)) {
      lane& l = lanes_[e.lane];
      if (e.port >= held_bit) {
        l.held_ready = growing_time{};
        receive<Growing>(l.held_ready, at);
        l.held_port = at;
        l.held_cost = time;
        return false;
      }
      receive<Growing>(now, at);
      latest<Growing>(now, l.held_ready);
      if (one_at_a_time_) latest<Growing>(now, turn_);
      time += in_steps ? 0 : l.held_cost;
      now.at += time;
      send<Growing>(l.held_port, now);
      l.held_port = not_held;
    } else {
      receive<Growing>(now, at);
      if (one_at_a_time_) latest<Growing>(now, turn_);
      now.at += time;
    }
    took_ = time;
    if (one_at_a_time_) turn_ = now;
    put<Growing>(free_[e.lane], now);
    send<Growing>(at, now);
    return true;
  }

  template <bool Growing>
  static constexpr void put(growing_time& to, const growing_time& from) {
    to.at = from.at;
    if constexpr (Growing) to.growth = from.growth;
  }
  template <bool Growing>
  constexpr void receive(growing_time& now, std::uint32_t at) {
    if (at == no_port) return;
    const std::uint32_t end = ports_[at + 1].first_in;
    for (std::uint32_t i = ports_[at].first_in; i < end; ++i) {
      const growing_time& made = rings_[i].take();
      if constexpr (Growing) {
        latest<true>(now, {made.at + delay_[i], made.growth});
      } else if (const std::size_t arrived = made.at + delay_[i]; arrived > now.at) {
        now.at = arrived;
      }
    }
  }
  template <bool Growing>
  constexpr void send(std::uint32_t from, const growing_time& made) {
    if (from == no_port) return;
    const std::uint32_t end = ports_[from + 1].first_out;
    for (std::uint32_t i = ports_[from].first_out; i < end; ++i) put<Growing>(rings_[out_[i]].add(), made);
  }

  /// The later of two times; of equal ones, that which grows faster. The other one must not overtake it.
  template <bool Growing>
  constexpr void latest(growing_time& now, growing_time other) {
    if constexpr (!Growing) {
      if (other.at > now.at) now = other;
    } else {
      if (other.at > now.at || (other.at == now.at && other.growth > now.growth)) {
        const growing_time kept = now;
        now = other;
        other = kept;
      }
      if (other.growth <= now.growth) return;
      const std::size_t cycles = (now.at - other.at) / (other.growth - now.growth);
      if (cycles < lasts) lasts = cycles;
    }
  }

  /// A link for every two seats that a message goes between, ordered by the one that reads it.
  constexpr void link(const Costs& c) {
    dynamic_array<std::size_t> makers;
    const auto& where = t_.where;
    for (std::size_t stage = 0, seat = 0; stage < where.stages; ++stage) {
      for (; seat < where.first_seat(stage + 1); ++seat) {
        for (std::size_t p = 4 * seat; p < 4 * seat + 4; ++p) {
          ports_[p].first_in = static_cast<std::uint32_t>(makers.size());
          const std::size_t m = p % 4 >= 2 ? where.micro_batches - 1 : 0;
          const std::size_t from = read_from(where, op{p % 2 == 1 ? pass::backward : pass::forward, stage, m});
          for_each_ipu_but(where.ipu_of(seat, m), where, from, m, [&](std::size_t ipu) {
            makers.push_back(4 * where.seat_of(ipu, from, m) + p % 4);
            delay_.push_back(message_time(c, from));
          });
        }
      }
    }
    ports_.back().first_in = static_cast<std::uint32_t>(makers.size());
    rings_ = dynamic_array<message_ring>{makers.size()};
    waiting_ = dynamic_array<std::size_t>{makers.size()};
    out_ = dynamic_array<std::uint32_t>{makers.size()};
    for (const std::size_t p : makers) ++ports_[p + 1].first_out;
    for (std::size_t p = 1; p < ports_.size(); ++p) ports_[p].first_out += ports_[p - 1].first_out;
    dynamic_array<std::uint32_t> next{ports_.size()};
    for (std::size_t i = 0; i < makers.size(); ++i) {
      out_[ports_[makers[i]].first_out + next[makers[i]]++] = static_cast<std::uint32_t>(i);
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
  dynamic_array<port> ports_;
  dynamic_array<message_ring> rings_{};
  dynamic_array<std::size_t> waiting_{};  // in each ring, when the round began
  dynamic_array<std::size_t> delay_{};
  dynamic_array<std::uint32_t> out_{};
  dynamic_array<event> tape_{};
};

}  // namespace ipuflow::schedule::impl
