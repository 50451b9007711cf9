// SPDX-License-Identifier: BSL-1.0
// Times of operations: every IPU does its operations in order, each as soon as the IPU is free and its inputs have
// arrived. This is the least time that an order allows, and the time in pictures.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/analysis/passes_done.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The time from the start of an operation to its finish.
struct span_of_time {
  std::size_t start = 0;
  std::size_t finish = 0;

  friend constexpr bool operator==(const span_of_time&, const span_of_time&) = default;
};

namespace impl {

/// Runs a timetable in time. `visit(ipu, seat, operation, span)` is called in an order that respects what is read and
/// the order of each IPU; two operations that run together have the same span.
template <timetable T, pricing Costs>
class timed_run {
 public:
  constexpr timed_run(const T& t, const Costs& c)
      : t_{t},
        costs_{c},
        progress_{t.where},
        lanes_{t.where.ipus},
        finish_{2 * t.where.seats() * t.where.micro_batches} {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) lanes_[ipu].walk = t.walk(ipu);
  }

  /// False if the order cannot be run to its end.
  template <class Visit>
  constexpr bool run(Visit visit) {
    if (t_.goes == pace::in_turn) return run_in_turn(visit);
    std::size_t waiting = 0;
    for (bool moved = true; moved;) {
      moved = false;
      waiting = 0;
      for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
        lane& l = lanes_[ipu];
        for (; l.walk && progress_.waits_for(*l.walk) == nowhere; ++l.walk) {
          take(ipu, visit);
          moved = true;
        }
        waiting += l.walk ? 1u : 0u;
      }
    }
    return waiting == 0;
  }

 private:
  struct lane {
    walk_of<T> walk{};
    std::size_t free_at = 0;
    placed held{};
    std::size_t held_seat = nowhere;
    std::size_t held_ready = 0;
  };

  /// In the order of steps, each operation when the one before it is over.
  template <class Visit>
  constexpr bool run_in_turn(Visit& visit) {
    for (std::size_t free_at = 0;;) {
      std::size_t next = nowhere;
      for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
        if (lanes_[ipu].walk && (next == nowhere || lanes_[ipu].walk->step < lanes_[next].walk->step)) next = ipu;
      }
      if (next == nowhere) return true;
      lane& l = lanes_[next];
      if (progress_.waits_for(*l.walk) != nowhere) return false;
      l.free_at = later(l.free_at, free_at);
      take(next, visit);
      free_at = l.free_at;
      ++l.walk;
    }
  }

  template <class Visit>
  constexpr void take(std::size_t ipu, Visit& visit) {
    lane& l = lanes_[ipu];
    const placed& o = *l.walk;
    const std::size_t seat = t_.where.seat_of(ipu, o.stage, o.micro_batch);
    const std::size_t ready = ready_at(ipu, o);
    if (o.with_next && l.held_seat == nowhere) {
      l.held = o;
      l.held_seat = seat;
      l.held_ready = ready;
      return;
    }
    const bool pair = l.held_seat != nowhere;
    span_of_time span{.start = later(l.free_at, later(ready, pair ? l.held_ready : 0))};
    span.finish = span.start + time_of(o, pair ? &l.held : nullptr);
    if (pair) finish(ipu, l.held_seat, l.held, span, visit);
    finish(ipu, seat, o, span, visit);
    l.held_seat = nowhere;
    l.free_at = span.finish;
  }

  /// Two that run together take as long as one after the other, and one step of the step grid.
  constexpr std::size_t time_of(const op& o, const op* with) const {
    const std::size_t alone = costs_.of(o.kind, o.stage);
    if constexpr (requires { Costs::in_steps; }) {
      return alone;
    } else {
      return alone + (with != nullptr ? costs_.of(with->kind, with->stage) : 0);
    }
  }

  template <class Visit>
  constexpr void finish(std::size_t ipu, std::size_t seat, const placed& o, span_of_time span, Visit& visit) {
    progress_.mark(o, seat);
    if (o.kind == pass::forward) finish_[2 * seat * t_.where.micro_batches + o.micro_batch] = span.finish;
    if (is_backward(o.kind)) finish_[(2 * seat + 1) * t_.where.micro_batches + o.micro_batch] = span.finish;
    visit(ipu, seat, o, span);
  }

  constexpr std::size_t ready_at(std::size_t ipu, const op& o) const {
    const std::size_t backward = is_backward(o.kind) ? 1 : 0;
    const std::size_t from = read_from(t_.where, o);
    std::size_t ready = 0;
    progress_.for_each_seat(from, o.micro_batch, [&](std::size_t seat, std::size_t maker) {
      const std::size_t made = finish_[(2 * seat + backward) * t_.where.micro_batches + o.micro_batch];
      ready = later(ready, made + (maker != ipu ? message_time(costs_, from) : 0));
    });
    return ready;
  }

  static constexpr std::size_t later(std::size_t a, std::size_t b) { return a < b ? b : a; }

  const T& t_;
  Costs costs_;
  passes_done<decltype(T::where)> progress_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> finish_;
};

/// Calls `use(ipu, stage)` for the update of each stage on each of its IPUs.
template <timetable T, class Use>
constexpr void for_each_update(const T& t, Use use) {
  for (std::size_t seat = 0, stage = 0; t.run_for == mode::training && seat < t.where.seats(); ++seat) {
    while (t.where.first_seat(stage + 1) <= seat) ++stage;
    for (std::size_t m = 0; m < t.where.micro_batches; m += (t.where.micro_batches + 1) / 2) {
      const std::size_t ipu = t.where.ipu_of(seat, m);
      if (m > 0 && ipu == t.where.ipu_of(seat, 0)) continue;  // a second IPU has the stage only if flows cross
      use(ipu, stage);
    }
  }
}

}  // namespace impl

/// Calls `visit(ipu, seat, operation, span)` for every operation; false if the order cannot be run to its end.
template <timetable T, pricing Costs, class Visit>
constexpr bool for_each_timed(const T& t, const Costs& c, Visit visit) {
  return impl::timed_run<T, Costs>{t, c}.run(visit);
}

/// Calls `visit(ipu, operation, span)` for the same and, behind all else of an IPU, for the updates of its stages that take time, unless
/// the timetable has updates of its own: to the end that `times_of` counts. Such an update has the number of the last micro-batch.
template <timetable T, pricing Costs, class Visit>
constexpr bool for_each_timed_and_updates(const T& t, const Costs& c, Visit visit) {
  dynamic_array<span_of_time> last{t.where.ipus};
  dynamic_array<std::size_t> steps{t.where.ipus};
  bool updates = false;
  const bool ran = for_each_timed(t, c, [&](std::size_t ipu, std::size_t, const placed& o, span_of_time span) {
    last[ipu] = span;
    steps[ipu] = o.step + 1;
    updates = updates || o.kind == pass::update;
    visit(ipu, o, span);
  });
  if (updates) return ran;
  const std::size_t newest = t.where.micro_batches - 1;
  impl::for_each_update(t, [&](std::size_t ipu, std::size_t stage) {
    const std::size_t time = c.of(pass::update, stage);
    if (time == 0) return;
    last[ipu] = {last[ipu].finish, last[ipu].finish + time};
    visit(ipu, placed{op{pass::update, stage, newest}, steps[ipu]++, false}, last[ipu]);
  });
  return ran;
}

}  // namespace ipuflow::schedule
