// SPDX-License-Identifier: BSL-1.0
// The critical path of a run of trains from its log, backwards: the step of the operation before it, on its IPU or of the message that it
// read, is known by arithmetic.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/closed_counts.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/analysis/path_fold.hpp>
#include <ipuflow/schedule/analysis/path_visits.hpp>
#include <ipuflow/schedule/analysis/repeating_path.hpp>
#include <ipuflow/schedule/analysis/train_log.hpp>
#include <ipuflow/schedule/forms/modular.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The last step before another one at which an IPU has an operation; -1 if there is none.
template <class Where>
[[nodiscard]] constexpr step_number last_step_before(const modular<Where>& t, std::size_t ipu, step_number step) {
  step_number found = -1;
  t.for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t first) {
    const std::size_t count = run_before(t.where, p, l.base(stage, t.span), l, step);
    if (count == 0) return;
    pass_stream s = stream_of(p, l, kind, stage, t.span, first);
    if (count > 1) s.advance(count - 1);
    if (s.step(t.where) > found) found = s.step(t.where);
  });
  return found;
}

template <pricing Costs>
class train_path {
 public:
  constexpr train_path(const modular<grid>& t, const Costs& c, const train_log& log) : t_{t}, c_{c}, log_{log} {}

  /// The pieces of the path to the last operation of an IPU, which ends then, from the last one to the first one.
  constexpr dynamic_array<path_piece> to(std::size_t ipu, std::size_t finish) {
    ipu_ = ipu;
    finish_ = finish;
    at_ = last_step_before(t_, ipu, number(t_.steps()));
    while (at_ >= 0) {
      const steps_left_out* const skip = log_.left_out_at(at_);
      if (skip != nullptr && at_ < skip->at + skip->steps) {
        look_for_body(*skip);
      } else if (ops_.size() - in_pieces_ >= worth_folding) {
        fold();
      }
      take();
    }
    add_piece(ops_.size());
    return static_cast<dynamic_array<path_piece>&&>(pieces_);
  }

 private:
  static constexpr std::size_t worth_folding = 1024;

  /// Adds the operation at hand, and goes to the one that it waited for.
  constexpr void take() {
    const op o = t_.ops(ipu_, static_cast<std::size_t>(at_))[0];
    const std::size_t time = c_.of(o.kind, o.stage);
    ops_.push_back({{o, static_cast<std::size_t>(at_), false}, ipu_, {finish_ - time, finish_}});
    finish_ -= time;
    if (!log_.message(at_, ipu_)) {
      at_ = last_step_before(t_, ipu_, at_);
      return;
    }
    op made{o.kind, read_from(t_.where, o), o.micro_batch};
    if (is_backward(made.kind) && !has(made)) made.kind = made.kind == pass::backward ? pass::backward_inputs : pass::backward;
    ipu_ = t_.where.ipu_of(made.stage, made.micro_batch);
    at_ = number(t_.step_of(made));
    finish_ -= message_time(c_, made.stage);
  }
  constexpr bool has(const op& o) const { return t_.parts[0][o.kind].has(o.stage, t_.where.stages); }

  /// If the path has been at this place of the cycle before, the part between repeats; the path goes on at its earliest time.
  constexpr void look_for_body(const steps_left_out& skip) {
    const auto phase = static_cast<std::size_t>((at_ - skip.at) % skip.cycle);
    path_visit before;
    if (!visits_.again({&skip, phase, ipu_, static_cast<std::size_t>(at_), ops_.size(), finish_}, before)) return;
    const step_number steps = number(before.at) - at_;
    const step_number more = (at_ + skip.cycle - skip.at) / steps;
    if (more > 0) leave_out(before, steps, static_cast<std::size_t>(more));
  }
  constexpr void leave_out(const path_visit& before, step_number steps, std::size_t more) {
    add_piece(before.ops);
    path_piece body{.times = more + 1, .every = before.finish - finish_};
    for (std::size_t i = ops_.size(); i-- > before.ops;) {
      repeated_op made{ops_[i]};
      const std::size_t step = made.first.step;
      made.steps = static_cast<std::size_t>(steps);
      made.micro_batches = made.first.micro_batch - t_.ops(made.first.ipu, step - made.steps)[0].micro_batch;
      made.first.micro_batch -= more * made.micro_batches;
      made.first.step -= more * made.steps;
      made.first.span.start -= more * body.every;
      made.first.span.finish -= more * body.every;
      body.ops.push_back(made);
    }
    in_pieces_ = ops_.size();
    finish_ -= more * body.every;
    at_ -= number(more) * steps;
    pieces_.push_back(static_cast<path_piece&&>(body));
  }
  /// Puts all operations into pieces, those that go on like the ones before them in few words.
  constexpr void fold() {
    path_fold{ops_, in_pieces_}.add_to(pieces_);
    ops_.clear();
    in_pieces_ = 0;
  }
  /// Operations that are in no piece yet, up to one.
  constexpr void add_piece(std::size_t end) {
    path_piece piece;
    for (std::size_t i = end; i-- > in_pieces_;) piece.ops.push_back({ops_[i]});
    in_pieces_ = end;
    pieces_.push_back(static_cast<path_piece&&>(piece));
  }

  const modular<grid>& t_;
  const Costs& c_;
  const train_log& log_;
  std::size_t ipu_ = 0;
  step_number at_ = 0;
  std::size_t finish_ = 0;
  dynamic_array<timed_op> ops_{};  // from the last one to the first one
  std::size_t in_pieces_ = 0;
  dynamic_array<path_piece> pieces_{};
  path_visits visits_{};
};

}  // namespace ipuflow::schedule::impl
