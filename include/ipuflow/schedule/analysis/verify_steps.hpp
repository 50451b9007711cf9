// SPDX-License-Identifier: BSL-1.0
// Proof of a table by the steps that it has: if these grow along every row, every operation is there once, and none runs
// before the step behind those that it reads, then the order is right, however long operations take. That is two looks at
// each operation, a tenth of what running the table takes. A table that is not proven like this may still be right.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

template <class Table>
class step_proof {
 public:
  constexpr explicit step_proof(const Table& t)
      : t_{t}, count_{t.where.micro_batches}, behind_{kinds * t.where.stages * t.where.micro_batches} {}

  constexpr bool holds() {
    for (std::size_t ipu = 0; ipu < t_.where.ipus; ++ipu) {
      if (!enter(ipu)) return false;
    }
    if (entered_ != behind_.size()) return false;
    for (std::size_t stage = 0; stage < t_.where.stages; ++stage) {
      if (!ordered(stage)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kinds = 3;  // forward, backward for inputs, gradients for weights; a whole backward is both

  /// The steps behind the operations of a stage; 0 stands for those that are not there.
  constexpr std::size_t* steps_of(std::size_t stage, std::size_t kind) {
    return behind_.data() + (kinds * stage + kind) * count_;
  }

  /// Enters the row of an IPU; false if its steps do not grow, or for what it should not have or has twice.
  constexpr bool enter(std::size_t ipu) {
    std::size_t free = 0;
    for (const placed& o : t_.rows[ipu]) {
      const bool forward = o.kind == pass::forward, weights = o.kind == pass::backward_weights;
      if (o.step + 1 <= free || o.with_next || o.stage >= t_.where.stages || o.micro_batch >= count_ ||
          t_.where.home[o.stage] != ipu || (!forward && !weights && !is_backward(o.kind))) {
        return false;
      }
      free = o.step + 1;
      std::size_t* at = steps_of(o.stage, forward ? 0 : weights ? 2 : 1) + o.micro_batch;
      if (*at != 0) return false;
      *at = free;
      ++entered_;
      if (o.kind != pass::backward) continue;
      at += count_;
      if (*at != 0) return false;
      *at = free;
      ++entered_;
    }
    return true;
  }

  constexpr bool ordered(std::size_t stage) {
    const std::size_t *const forward = steps_of(stage, 0), *const back = steps_of(stage, 1), *const weights = steps_of(stage, 2);
    const auto steps_read_by = [&](pass kind, std::size_t row) -> const std::size_t* {
      const std::size_t from = read_from(t_.where, op{kind, stage, 0});
      return from == nowhere ? nullptr : steps_of(from, row);
    };
    const std::size_t* const before = steps_read_by(pass::forward, 0);
    const std::size_t* const behind = steps_read_by(pass::backward_inputs, 1);
    for (std::size_t m = 0; m < count_; ++m) {
      // Equal are the two of a whole backward only: a row has nothing else at one step.
      if (back[m] <= forward[m] || weights[m] < back[m] || (before != nullptr && forward[m] <= before[m]) ||
          (behind != nullptr && back[m] <= behind[m])) {
        return false;
      }
    }
    return true;
  }

  const Table& t_;
  std::size_t count_;
  dynamic_array<std::size_t> behind_;
  std::size_t entered_ = 0;
};

/// True if that table is right; false if it is wrong, or not proven like this.
template <class Table>
constexpr bool proven_by_steps(const Table& t) {
  return !t.refused && t.run_for == mode::training && !t.where.crossed && t.where.seats() == t.where.stages &&
         step_proof<Table>{t}.holds();
}

}  // namespace ipuflow::schedule::impl
