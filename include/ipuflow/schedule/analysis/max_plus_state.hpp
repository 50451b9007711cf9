// SPDX-License-Identifier: BSL-1.0
// All that the times of later operations depend on while a timetable runs: when each IPU is free, and the messages that
// are made and not yet read. Every new time is a maximum of sums of these, so that the operations of a round are a
// max-plus linear map of this state. With growths it also finds for how many rounds the map takes the same maxima.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// A time, and by how much it grows from one cycle to the next.
struct growing_time {
  std::size_t at = 0;
  std::size_t growth = 0;
};

/// The messages from one seat to another, first in first out.
class message_ring {
 public:
  struct message {
    growing_time made{};
    std::size_t micro_batch = 0;
  };

  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  constexpr message& operator[](std::size_t i) { return held_[(first_ + i) & (held_.size() - 1)]; }
  constexpr void push(const message& added) {
    if (count_ == held_.size()) grow();
    (*this)[count_++] = added;
  }
  constexpr void pop() {
    ++first_;
    --count_;
  }

 private:
  constexpr void grow() {
    dynamic_array<message> more{held_.empty() ? 2 : 2 * held_.size()};
    for (std::size_t i = 0; i < count_; ++i) more[i] = (*this)[i];
    held_ = static_cast<dynamic_array<message>&&>(more);
    first_ = 0;
  }

  dynamic_array<message> held_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

template <timetable T, pricing Costs>
class max_plus_state {
 public:
  struct lane {
    growing_time free{};
    std::size_t first = nowhere;  ///< start of the first operation
    std::size_t busy = 0;
    std::size_t busy_before = 0;  ///< what it was when growths were noted
    growing_time held_ready{};    ///< of the first of two that run together
    op held{};
    std::size_t held_port = nowhere;
  };

  constexpr max_plus_state(const T& t, const Costs& c)
      : t_{t},
        one_at_a_time_{t.goes == pace::in_turn},
        half_{t.where.directions() == 2 ? t.where.micro_batches / 2 : nowhere},
        lanes_{t.where.ipus},
        cost_{t.where.stages * pass_count},
        ports_{4 * t.where.seats() + 1} {
    for (std::size_t s = 0; s < t.where.stages; ++s) {
      for (std::size_t k = 0; k < pass_count; ++k) cost_[s * pass_count + k] = c.of(static_cast<pass>(k), s);
    }
    link(c);
  }

  [[nodiscard]] constexpr std::size_t lanes() const { return lanes_.size(); }
  constexpr lane& operator[](std::size_t ipu) { return lanes_[ipu]; }

  /// True if all that an operation reads from other IPUs is there.
  constexpr bool ready(std::size_t ipu, const placed& o) {
    if (o.kind != pass::forward && !is_backward(o.kind)) return true;
    const std::size_t at = port_of(ipu, o);
    for (std::size_t i = ports_[at].first_in; i < ports_[at + 1].first_in; ++i) {
      if (rings_[i].size() == 0) return false;
    }
    return true;
  }

  /// Does an operation; false if it does not read what its makers have made next.
  template <bool Growing>
  constexpr bool take(std::size_t ipu, const placed& o) {
    lane& l = lanes_[ipu];
    growing_time ready{};
    std::size_t at = no_port;
    if (o.kind == pass::forward || is_backward(o.kind)) {
      at = port_of(ipu, o);
      for (std::size_t i = ports_[at].first_in; i < ports_[at + 1].first_in; ++i) {
        if (rings_[i].size() == 0 || rings_[i][0].micro_batch != o.micro_batch) return false;
        const growing_time made = rings_[i][0].made;
        latest<Growing>(ready, {made.at + delay_[i], made.growth});
        rings_[i].pop();
      }
    }
    updates = updates || o.kind == pass::update;
    const bool second = l.held_port != not_held;
    if (o.with_next && !second) {
      l.held = o;
      l.held_port = at;
      l.held_ready = ready;
      return true;
    }
    growing_time now = l.free;
    latest<Growing>(now, ready);
    if (second) latest<Growing>(now, l.held_ready);
    if (one_at_a_time_) latest<Growing>(now, turn_);
    if (l.first == nowhere) l.first = now.at;
    const std::size_t own = cost_[o.stage * pass_count + static_cast<std::size_t>(o.kind)];
    const std::size_t other = second ? cost_[l.held.stage * pass_count + static_cast<std::size_t>(l.held.kind)] : 0;
    l.busy += own + other;
    now.at += own + (in_steps ? 0 : other);
    l.free = now;
    if (one_at_a_time_) turn_ = now;
    if (second) send(l.held_port, now, l.held.micro_batch);
    send(at, now, o.micro_batch);
    l.held_port = not_held;
    return true;
  }

  /// Calls `visit(time)` for all times of the state, in an order that depends on `count_in` only.
  template <class Visit>
  constexpr void for_each_time(Visit visit) {
    for (lane& l : lanes_) {
      visit(l.free);
      if (l.held_port != not_held) visit(l.held_ready);
    }
    visit(turn_);
    for (message_ring& r : rings_) {
      for (std::size_t i = 0; i < r.size(); ++i) visit(r[i].made);
    }
  }
  [[nodiscard]] constexpr std::size_t links() const { return rings_.size(); }
  [[nodiscard]] constexpr std::size_t waiting(std::size_t link) const { return rings_[link].size(); }

  bool updates = false;  ///< an operation was the update of weights
  /// The number of cycles after the next one in which all maxima stay as they are; counted while growths are followed.
  std::size_t lasts = nowhere;

  constexpr void note_busy() {
    for (lane& l : lanes_) l.busy_before = l.busy;
  }
  /// Goes on by `cycles` like the last one.
  constexpr void leave_out(std::size_t cycles) {
    for_each_time([&](growing_time& time) { time.at += cycles * time.growth; });
    for (lane& l : lanes_) l.busy += cycles * (l.busy - l.busy_before);
  }

 private:
  static constexpr bool in_steps = requires { Costs::in_steps; };
  static constexpr std::size_t not_held = nowhere;
  static constexpr std::size_t no_port = nowhere - 1;
  struct port {
    std::size_t first_in = 0;   ///< its links are those up to the first one of the next port
    std::size_t first_out = 0;
  };

  constexpr std::size_t port_of(std::size_t ipu, const op& o) const {
    const std::size_t seat = t_.where.seats() == t_.where.stages ? o.stage : t_.where.seat_of(ipu, o.stage, o.micro_batch);
    return 4 * seat + (o.micro_batch >= half_ ? 2u : 0u) + (is_backward(o.kind) ? 1u : 0u);
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

  constexpr void send(std::size_t from, const growing_time& made, std::size_t micro_batch) {
    if (from >= no_port) return;
    for (std::size_t i = ports_[from].first_out; i < ports_[from + 1].first_out; ++i) {
      rings_[out_[i]].push({made, micro_batch});
    }
  }

  /// A link for every two seats that a message goes between, ordered by the one that reads it.
  constexpr void link(const Costs& c) {
    dynamic_array<std::size_t> makers;
    const auto& where = t_.where;
    for (std::size_t stage = 0, seat = 0; stage < where.stages; ++stage) {
      for (; seat < where.first_seat(stage + 1); ++seat) {
        for (std::size_t p = 4 * seat; p < 4 * seat + 4; ++p) {
          ports_[p].first_in = makers.size();
          const std::size_t m = p % 4 >= 2 ? where.micro_batches - 1 : 0;
          const std::size_t from = read_from(where, op{p % 2 == 1 ? pass::backward : pass::forward, stage, m});
          for_each_ipu_but(where.ipu_of(seat, m), where, from, m, [&](std::size_t ipu) {
            makers.push_back(4 * where.seat_of(ipu, from, m) + p % 4);
            delay_.push_back(message_time(c, from));
          });
        }
      }
    }
    ports_.back().first_in = makers.size();
    rings_ = dynamic_array<message_ring>{makers.size()};
    out_ = dynamic_array<std::size_t>{makers.size()};
    for (const std::size_t p : makers) ++ports_[p + 1].first_out;
    for (std::size_t p = 1; p < ports_.size(); ++p) ports_[p].first_out += ports_[p - 1].first_out;
    dynamic_array<std::size_t> next{ports_.size()};
    for (std::size_t i = 0; i < makers.size(); ++i) out_[ports_[makers[i]].first_out + next[makers[i]]++] = i;
  }

  const T& t_;
  bool one_at_a_time_;
  std::size_t half_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> cost_;
  dynamic_array<port> ports_;
  growing_time turn_{};
  dynamic_array<message_ring> rings_{};
  dynamic_array<std::size_t> delay_{};
  dynamic_array<std::size_t> out_{};
};

}  // namespace ipuflow::schedule::impl
