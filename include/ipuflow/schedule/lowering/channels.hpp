// SPDX-License-Identifier: BSL-1.0
// Programs whose sends wait: a channel of finite capacity between two stages holds only that many values, and with
// capacity zero a send waits for its receive (rendezvous). An order that is fine with unlimited buffers can stop here
// for ever.
#pragma once

#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/lowering/lower.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The time at which an IPU asks for its inputs.
enum class receives : unsigned char {
  just_in_time,  ///< directly before the operation that reads it
  early          ///< where lowering posts it: when its sender runs
};

namespace impl {

/// Each operation behind its receives and before its sends.
template <timetable T>
constexpr action_rows just_in_time(const T& t) {
  action_rows rows{t.where.ipus};
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    dynamic_array<action> held;
    for (auto w = t.walk(ipu); w; ++w) {
      if (!has_word(w->kind)) continue;
      const act receive = w->kind == pass::forward ? act::receive_forward : act::receive_backward;
      for_each_ipu_but(ipu, t.where, read_from(t.where, *w), w->micro_batch,
                       [&](std::size_t) { rows[ipu].push_back({receive, w->stage, w->micro_batch}); });
      held.push_back({act_of(w->kind), w->stage, w->micro_batch});
      if (w->with_next) continue;
      for (const action& a : held) rows[ipu].push_back(a);
      for (const action& a : held) {
        const act send = a.kind == act::forward ? act::send_forward : act::send_backward;
        const std::size_t next = sent_to(t.where, {pass_of(a.kind), a.stage, a.micro_batch});
        for_each_ipu_but(ipu, t.where, next, a.micro_batch,
                         [&](std::size_t) { rows[ipu].push_back({send, a.stage, a.micro_batch}); });
      }
      held = {};
    }
  }
  return rows;
}

/// Runs programs over channels. There is one channel for each stage, direction and pair of IPUs.
template <whereabouts Where>
class channel_run {
 public:
  constexpr channel_run(const Where& where, const action_rows& rows, std::size_t capacity)
      : where_{where}, rows_{rows}, capacity_{capacity}, at_{rows.size()}, served_{rows.size()} {}

  constexpr schedule_fault run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t ipu = 0; ipu < rows_.size(); ++ipu) {
        while (at_[ipu] < rows_[ipu].size()) {
          schedule_fault found;
          if (!step(ipu, found)) break;
          if (found) return found;
          moved = true;
        }
      }
    }
    for (std::size_t ipu = 0; ipu < rows_.size(); ++ipu) {
      if (at_[ipu] < rows_[ipu].size()) return at(schedule_wrong::channel_deadlock, ipu, 0, capacity_);
    }
    return {};
  }

 private:
  struct message {
    std::size_t from = 0;
    std::size_t to = 0;
    bool onwards = false;
    std::size_t stage = 0;  // that receives
    std::size_t micro_batch = 0;
    bool received = false;
  };

  constexpr schedule_fault at(schedule_wrong kind, std::size_t ipu, std::size_t got, std::size_t limit) const {
    const action& a = rows_[ipu][at_[ipu]];
    return {kind, got, limit, {ipu, at_[ipu], a.stage, a.micro_batch, op_of(a).kind}};
  }

  /// The operation that sends or reads this message.
  static constexpr op op_of(const action& a) {
    const bool onwards = a.kind == act::send_forward || a.kind == act::receive_forward;
    return {onwards ? pass::forward : pass::backward_inputs, a.stage, a.micro_batch};
  }

  /// One action of an IPU; false if it has to wait.
  constexpr bool step(std::size_t ipu, schedule_fault& found) {
    const action& a = rows_[ipu][at_[ipu]];
    if (a.kind < act::send_forward) return pass_on(ipu);
    const bool onwards = op_of(a).kind == pass::forward;
    return a.kind == act::send_forward || a.kind == act::send_backward ? send(ipu, a, onwards)
                                                                       : receive(ipu, a, onwards, found);
  }

  /// A send puts its value on the channel once, and goes on when there is room for it.
  constexpr bool send(std::size_t ipu, const action& a, bool onwards) {
    const std::size_t next = sent_to(where_, op_of(a));
    if (served_[ipu] == 0) {
      ++served_[ipu];
      under_way_.push_back({ipu, receiver(ipu, next, a), onwards, next, a.micro_batch});
    }
    std::size_t waiting = 0;  // of this channel, this value included
    bool mine = false;
    for (const message& m : under_way_) {
      if (m.received || m.from != ipu || m.onwards != onwards || m.stage != next) continue;
      if (m.to != receiver(ipu, next, a)) continue;
      ++waiting;
      mine = mine || m.micro_batch == a.micro_batch;
    }
    return mine && waiting > capacity_ ? false : pass_on(ipu);
  }

  constexpr bool receive(std::size_t ipu, const action& a, bool onwards, schedule_fault& found) {
    for (message& m : under_way_) {
      if (m.received || m.to != ipu || m.onwards != onwards || m.stage != a.stage) continue;
      if (taken(ipu, m.from, a)) continue;
      if (m.micro_batch != a.micro_batch) {
        found = at(schedule_wrong::channel_order, ipu, m.from, m.micro_batch);
        return true;
      }
      m.received = true;
      return pass_on(ipu);
    }
    return false;
  }

  /// Of concurrent senders each is heard once a receive; the receives of one operation follow each other.
  constexpr bool taken(std::size_t ipu, std::size_t from, const action& a) const {
    std::size_t before = 0;
    while (before < at_[ipu] && rows_[ipu][at_[ipu] - 1 - before] == a) ++before;
    return other_end(ipu, read_from(where_, op_of(a)), a.micro_batch, before) != from;
  }

  /// The receiver of the send at hand: the sends of one operation follow each other, one for each branch.
  constexpr std::size_t receiver(std::size_t ipu, std::size_t next, const action& a) const {
    std::size_t before = 0;
    while (before < at_[ipu] && rows_[ipu][at_[ipu] - 1 - before] == a) ++before;
    return other_end(ipu, next, a.micro_batch, before);
  }

  /// The IPU at the other end of the n-th message between an IPU and a stage.
  constexpr std::size_t other_end(std::size_t ipu, std::size_t stage, std::size_t micro_batch, std::size_t n) const {
    std::size_t found = nowhere;
    for_each_ipu_but(ipu, where_, stage, micro_batch, [&](std::size_t other) {
      if (n-- == 0) found = other;
    });
    return found;
  }

  constexpr bool pass_on(std::size_t ipu) {
    ++at_[ipu];
    served_[ipu] = 0;
    if (++passed_ % 64 == 0) forget();
    return true;
  }

  constexpr void forget() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < under_way_.size(); ++i) {
      if (!under_way_[i].received) under_way_[kept++] = under_way_[i];
    }
    while (under_way_.size() > kept) under_way_.pop_back();
  }

  const Where& where_;
  const action_rows& rows_;
  std::size_t capacity_;
  dynamic_array<std::size_t> at_;
  dynamic_array<std::size_t> served_;
  dynamic_array<message> under_way_{};
  std::size_t passed_ = 0;
};

/// The fault of an operation of a stage or a micro-batch that there is not.
template <whereabouts Where>
constexpr schedule_fault verify_numbers(const Where& where, const op& o, std::size_t ipu, std::size_t index) {
  const place at{ipu, index, o.stage, o.micro_batch, o.kind};
  if (o.stage >= where.stages) return {schedule_wrong::stage_out_of_range, o.stage, where.stages, at};
  if (o.micro_batch >= where.micro_batches) return {schedule_wrong::micro_batch_out_of_range, o.micro_batch, where.micro_batches, at};
  return {};
}

}  // namespace impl

/// The first fault of programs that do not run to their end over channels of that capacity; 0 is a rendezvous.
template <whereabouts Where>
constexpr schedule_fault verify_channels(const Where& where, const action_rows& rows, std::size_t capacity) {
  for (std::size_t ipu = 0; ipu < rows.size(); ++ipu) {
    for (std::size_t i = 0; i < rows[ipu].size(); ++i) {
      const action& a = rows[ipu][i];
      const pass kind = impl::is_compute(a.kind)          ? impl::pass_of(a.kind)
                        : a.kind < act::send_backward     ? pass::forward
                                                          : pass::backward_inputs;
      if (const schedule_fault found = impl::verify_numbers(where, op{kind, a.stage, a.micro_batch}, ipu, i)) return found;
    }
  }
  return impl::channel_run<Where>{where, rows, capacity}.run();
}

template <timetable T>
constexpr schedule_fault verify_channels(const T& t, std::size_t capacity, receives when = receives::just_in_time) {
  if (t.refused) return t.refused;
  if constexpr (requires { t.rows.size(); }) {
    if (t.rows.size() != t.where.ipus) return {schedule_wrong::other_rows, t.rows.size(), t.where.ipus};
  }
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::size_t index = 0;
    for (auto w = t.walk(ipu); w; ++w, ++index) {
      if (const schedule_fault found = impl::verify_numbers(t.where, *w, ipu, index)) return found;
    }
  }
  constexpr lower_options bare{.gathered = 0, .reduce_gradients = false};
  if (when == receives::early) return verify_channels(t.where, lower(t, bare), capacity);
  return verify_channels(t.where, impl::just_in_time(t), capacity);
}

}  // namespace ipuflow::schedule
