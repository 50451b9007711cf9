// SPDX-License-Identifier: BSL-1.0
// Verification by running: each IPU does its operations in order, each as soon as what it reads is there, until nothing
// is left or nothing moves. It trusts nothing about the timetable and costs a few nanoseconds an operation.
#pragma once

#include <ipuflow/schedule/analysis/passes_done.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

template <timetable T>
class order_run {
 public:
  constexpr explicit order_run(const T& t)
      : t_{t}, progress_{t.where}, lanes_{t.where.ipus}, left_{t.where.seats(), t.where.micro_batches} {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) lanes_[ipu].walk = t.walk(ipu);
    if (t.goes != pace::freely) steps_ = dynamic_array<std::size_t>{t.where.seats() * t.where.micro_batches * 2};
  }

  /// The first thing that is wrong with the order.
  constexpr schedule_fault run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
        while (lanes_[ipu].walk) {
          std::size_t seat = nowhere;
          if (const schedule_fault found = check(ipu, seat)) return explained(found);
          if (progress_.waits_for(*lanes_[ipu].walk) != nowhere) break;
          if (const schedule_fault found = take(ipu, seat)) return found;
          moved = true;
        }
      }
    }
    for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
      if (lanes_[ipu].walk) return stuck();
    }
    return incomplete();
  }

 private:
  struct lane {
    walk_of<T> walk{};
    std::size_t position = 0;
    std::size_t last_step = nowhere;
    op held{};  // the first of two that run together: done only with the second
    std::size_t held_seat = nowhere;
  };

  constexpr schedule_fault at(schedule_wrong kind, std::size_t ipu, std::size_t got = 0, std::size_t limit = 0) const {
    const placed& o = *lanes_[ipu].walk;
    return {kind, got, limit, {ipu, lanes_[ipu].position, o.stage, o.micro_batch, o.kind}};
  }

  /// The fault of the next operation of an IPU, whatever the others have done.
  constexpr schedule_fault check(std::size_t ipu, std::size_t& seat) const {
    const placed& o = *lanes_[ipu].walk;
    if (o.stage >= t_.where.stages) return at(schedule_wrong::stage_out_of_range, ipu, o.stage, t_.where.stages);
    if (o.micro_batch >= t_.where.micro_batches) {
      return at(schedule_wrong::micro_batch_out_of_range, ipu, o.micro_batch, t_.where.micro_batches);
    }
    seat = t_.where.seat_of(ipu, o.stage, o.micro_batch);
    if (seat == nowhere) {
      return at(schedule_wrong::wrong_ipu, ipu, ipu, t_.where.ipu_of(progress_.first(o.stage), o.micro_batch));
    }
    const unsigned marks = progress_.at(seat, o.micro_batch);
    schedule_fault found;
    if (o.kind == pass::forward) {
      if ((marks & done_forward) != 0) found = at(schedule_wrong::repeated_op, ipu);
    } else if (t_.run_for == mode::inference && o.kind < pass::infeed) {
      found = at(schedule_wrong::backward_in_inference, ipu);
    } else {
      found = check_against(ipu, marks, seat);
    }
    return found || lanes_[ipu].held_seat == nowhere ? found : check_pair(ipu, seat);
  }

  /// The fault of the second of two that run together, where no mark tells of the first yet.
  constexpr schedule_fault check_pair(std::size_t ipu, std::size_t seat) const {
    const placed& o = *lanes_[ipu].walk;
    const op& first = lanes_[ipu].held;
    const bool in_one_step = t_.goes == pace::freely || o.step == lanes_[ipu].last_step;
    if (o.with_next || !in_one_step) return at(schedule_wrong::no_pair, ipu);
    const bool updates = o.kind == pass::update && first.kind == pass::update;  // of all micro-batches
    if (seat != lanes_[ipu].held_seat || (o.micro_batch != first.micro_batch && !updates)) return {};
    if (o.kind == first.kind) return at(schedule_wrong::repeated_op, ipu);
    if ((bits_of(o.kind) & bits_of(first.kind)) != 0) return at(schedule_wrong::mixed_backwards, ipu);
    const bool apart = o.kind == pass::outfeed || first.kind == pass::outfeed;  // all others read each other
    return apart ? schedule_fault{} : at(schedule_wrong::no_pair, ipu);
  }

  constexpr schedule_fault check_against(std::size_t ipu, unsigned marks, std::size_t seat) const {
    const placed& o = *lanes_[ipu].walk;
    const bool forward = (marks & done_forward) != 0;
    const bool inputs = (marks & done_inputs) != 0;
    const bool whole = (marks & done_whole) != 0;
    const bool half = o.kind == pass::backward_inputs || o.kind == pass::backward_weights;
    const bool done_before = (marks & bits_of(o.kind)) == bits_of(o.kind);
    if (done_before && !(whole && half)) return at(schedule_wrong::repeated_op, ipu);
    switch (o.kind) {
      case pass::backward:
        if (inputs || (marks & done_weights) != 0) return at(schedule_wrong::mixed_backwards, ipu);
        return forward ? schedule_fault{} : at(schedule_wrong::backward_first, ipu);
      case pass::backward_inputs:
        if (whole) return at(schedule_wrong::mixed_backwards, ipu);
        return forward ? schedule_fault{} : at(schedule_wrong::backward_first, ipu);
      case pass::backward_weights:
        if (whole) return at(schedule_wrong::mixed_backwards, ipu);
        return inputs ? schedule_fault{} : at(schedule_wrong::weights_first, ipu);
      case pass::recompute:
        return forward && !inputs ? schedule_fault{} : at(schedule_wrong::recomputed_first, ipu);
      case pass::update:
        if (left_[seat] == nowhere) return at(schedule_wrong::repeated_op, ipu);  // under another micro-batch
        return left_[seat] == 0 ? schedule_fault{} : at(schedule_wrong::update_first, ipu);
      case pass::infeed:
        return forward ? at(schedule_wrong::recomputed_first, ipu) : schedule_fault{};
      default:
        return {};
    }
  }

  /// Does the next operation of an IPU and steps on.
  constexpr schedule_fault take(std::size_t ipu, std::size_t seat) {
    lane& l = lanes_[ipu];
    const placed& o = *l.walk;
    if (t_.goes != pace::freely) {
      if (const schedule_fault found = take_step(ipu, seat)) return found;
    }
    if (o.with_next && l.held_seat == nowhere) {
      l.held = o;
      l.held_seat = seat;
      ++l.walk;
      if (!l.walk) return {schedule_wrong::no_pair, 0, 0, {ipu, l.position, l.held.stage, l.held.micro_batch, l.held.kind}};
    } else {
      if (l.held_seat != nowhere) finish(l.held, l.held_seat);
      l.held_seat = nowhere;
      finish(o, seat);
      ++l.walk;
    }
    ++l.position;
    return {};
  }

  constexpr void finish(const op& o, std::size_t seat) {
    progress_.mark(o, seat);
    if (o.kind == pass::backward || o.kind == pass::backward_weights) --left_[seat];
    if (o.kind == pass::update) left_[seat] = nowhere;
  }

  /// The rules of schedules whose IPUs step together: one operation at a time where the schedule says so, and nothing
  /// is read in the step in which it is made.
  constexpr schedule_fault take_step(std::size_t ipu, std::size_t seat) {
    lane& l = lanes_[ipu];
    const placed& o = *l.walk;
    if (l.last_step != nowhere && o.step < l.last_step) return at(schedule_wrong::falling_step, ipu, o.step, l.last_step);
    if constexpr (requires { t_.alone; }) {
      if (t_.alone && l.last_step == o.step && l.held_seat == nowhere)
        return at(schedule_wrong::two_at_once, ipu, o.step, o.step);
    }
    l.last_step = o.step;
    const std::size_t backward = is_backward(o.kind) ? 1 : 0;
    const std::size_t count = t_.where.micro_batches;
    schedule_fault found;
    progress_.for_each_seat(read_from(t_.where, o), o.micro_batch, [&](std::size_t from, std::size_t) {
      const std::size_t made = steps_[(2 * from + backward) * count + o.micro_batch];
      if (!found && made >= o.step) found = at(schedule_wrong::not_ready, ipu, o.step, made + 1);
    });
    if (found) return found;
    if (o.kind == pass::forward || backward == 1) steps_[(2 * seat + backward) * count + o.micro_batch] = o.step;
    return {};
  }

  /// The fault that explains this one: an operation may come before its own forward or backward because that is missing
  /// altogether.
  constexpr schedule_fault explained(const schedule_fault& found) const {
    const place& at = found.where;
    if (found.kind == schedule_wrong::update_first) return update_explained(found);
    if (found.kind != schedule_wrong::backward_first && found.kind != schedule_wrong::weights_first) return found;
    const pass wanted = found.kind == schedule_wrong::backward_first ? pass::forward : pass::backward_inputs;
    if (comes(at.ipu, {wanted, at.stage, at.micro_batch})) return found;
    return {.kind = schedule_wrong::missing_op, .where = {at.ipu, nowhere, at.stage, at.micro_batch, wanted}};
  }

  /// The same for an update, which may come last and wait for what is missing.
  constexpr schedule_fault update_explained(const schedule_fault& found) const {
    const std::size_t ipu = found.where.ipu, stage = found.where.stage;
    for (std::size_t m = 0; m < t_.where.micro_batches; ++m) {
      if (t_.where.seat_of(ipu, stage, m) == nowhere || comes(ipu, {pass::backward_weights, stage, m})) continue;
      const pass wanted = comes(ipu, {pass::backward, stage, m}) ? pass::backward_weights : pass::backward;
      return {.kind = schedule_wrong::missing_op, .where = {ipu, nowhere, stage, m, wanted}};
    }
    return found;
  }

  /// Why nothing moves: an IPU waits for an operation that no IPU does, or all wait for each other.
  constexpr schedule_fault stuck() const {
    for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
      if (!lanes_[ipu].walk) continue;
      const placed& o = *lanes_[ipu].walk;
      const std::size_t seat = progress_.waits_for(o);
      const std::size_t from = t_.where.ipu_of(seat, o.micro_batch);
      const bool last = o.kind == pass::outfeed;  // it reads its own stage
      const op wanted{last ? pass::forward : o.kind, last ? o.stage : read_from(t_.where, o), o.micro_batch};
      if (!comes(from, wanted))
        return {.kind = schedule_wrong::missing_op, .where = {from, nowhere, wanted.stage, wanted.micro_batch, wanted.kind}};
    }
    for (std::size_t ipu = 0; ipu < lanes_.size(); ++ipu) {
      if (!lanes_[ipu].walk) continue;
      const placed& o = *lanes_[ipu].walk;
      return at(schedule_wrong::deadlock, ipu, t_.where.ipu_of(progress_.waits_for(o), o.micro_batch));
    }
    return {};
  }

  /// True if an IPU does this somewhere in its order; one backward is as good as another, and a whole one has both halves.
  constexpr bool comes(std::size_t ipu, const op& wanted) const {
    for (auto walk = t_.walk(ipu); walk; ++walk) {
      const bool same_way = wanted.kind == pass::forward            ? walk->kind == pass::forward
                            : wanted.kind == pass::backward_weights ? (bits_of(walk->kind) & done_weights) != 0
                                                                    : is_backward(walk->kind);
      if (same_way && walk->stage == wanted.stage && walk->micro_batch == wanted.micro_batch) return true;
    }
    return false;
  }

  constexpr schedule_fault incomplete() const {
    const unsigned wanted = t_.run_for == mode::training ? done_forward | done_inputs | done_weights : done_forward;
    for (std::size_t stage = 0; stage < t_.where.stages; ++stage) {
      const std::size_t first = progress_.first(stage), end = progress_.first(stage + 1);
      if (first == end) return {.kind = schedule_wrong::unmapped_stage, .where = {.stage = stage}};
      for (std::size_t m = 0; m < t_.where.micro_batches; ++m) {
        for (std::size_t seat = first; seat < end; ++seat) {
          const unsigned lacks = wanted & ~static_cast<unsigned>(progress_.at(seat, m));
          if (lacks == 0) continue;
          const pass kind = (lacks & done_forward) != 0             ? pass::forward
                            : lacks == (done_inputs | done_weights) ? pass::backward
                            : (lacks & done_inputs) != 0            ? pass::backward_inputs
                                                                    : pass::backward_weights;
          return {.kind = schedule_wrong::missing_op, .where = {t_.where.ipu_of(seat, m), nowhere, stage, m, kind}};
        }
      }
      if (const schedule_fault found = recomputed_partly(stage)) return found;
    }
    return {};
  }

  /// A stage keeps what entered it or all that its backwards read, and does so for every micro-batch.
  constexpr schedule_fault recomputed_partly(std::size_t stage) const {
    std::size_t again = 0;
    schedule_fault found;
    for (std::size_t m = t_.where.micro_batches; m-- > 0;) {
      progress_.for_each_seat(stage, m, [&](std::size_t seat, std::size_t ipu) {
        if ((progress_.at(seat, m) & done_recompute) != 0)
          ++again;
        else
          found = {.kind = schedule_wrong::recomputed_partly, .where = {ipu, nowhere, stage, m, pass::recompute}};
      });
    }
    return again > 0 ? found : schedule_fault{};
  }

  const T& t_;
  passes_done<decltype(T::where)> progress_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> left_;
  dynamic_array<std::size_t> steps_{};
};

/// The first fault of a timetable, found by running all of it.
template <timetable T>
constexpr schedule_fault verify_order(const T& t) {
  if (t.refused) return t.refused;
  return order_run<T>{t}.run();
}

}  // namespace ipuflow::schedule::impl
