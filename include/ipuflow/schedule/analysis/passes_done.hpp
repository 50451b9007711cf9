// SPDX-License-Identifier: BSL-1.0
// The passes that are done while a timetable runs: one byte per seat and micro-batch, from which follows whether an
// operation's inputs are ready. Verification, timing and lowering run timetables over it.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The bits. A whole backward sets those of both halves and `whole`.
enum done : unsigned char {
  done_forward = 1,
  done_inputs = 2,
  done_weights = 4,
  done_whole = 8,
  done_recompute = 16,
  done_infeed = 32,
  done_outfeed = 64,
  done_update = 128
};

namespace impl {

[[nodiscard]] constexpr unsigned char bits_of(pass kind) {
  constexpr unsigned char bits[] = {done_forward,   done_inputs | done_weights | done_whole,
                                    done_inputs,    done_weights,
                                    done_recompute, done_update,
                                    done_infeed,    done_outfeed};
  const auto number = static_cast<std::size_t>(kind);
  return number < pass_count ? bits[number] : static_cast<unsigned char>(0);  // what is no pass does nothing
}

template <whereabouts Where>
class passes_done {
 public:
  constexpr explicit passes_done(const Where& where)
      : where_{&where}, marks_{where.seats() * where.micro_batches}, first_{where.stages + 1} {
    for (std::size_t stage = 0; stage <= where.stages; ++stage) first_[stage] = where.first_seat(stage);
  }

  constexpr unsigned char at(std::size_t seat, std::size_t micro_batch) const {
    return marks_[seat * where_->micro_batches + micro_batch];
  }
  constexpr void mark(const op& o, std::size_t seat) {
    unsigned char& m = marks_[seat * where_->micro_batches + o.micro_batch];
    m = static_cast<unsigned char>(m | bits_of(o.kind));
  }

  /// The seats of a stage are [first(stage), first(stage + 1)).
  constexpr std::size_t first(std::size_t stage) const { return first_[stage]; }

  /// Calls `visit(seat, ipu)` for every seat of a stage; `nowhere` has none.
  template <class Visit>
  constexpr void for_each_seat(std::size_t stage, std::size_t micro_batch, Visit visit) const {
    if (stage == nowhere) return;
    for (std::size_t seat = first(stage); seat < first(stage + 1); ++seat)
      visit(seat, where_->ipu_of(seat, micro_batch));
  }

  /// A seat of another stage that has not done what `o` reads; `nowhere` if there is none.
  constexpr std::size_t waits_for(const op& o) const {
    const std::size_t from = o.kind == pass::outfeed ? o.stage : read_from(*where_, o);
    if (from == nowhere) return nowhere;
    return lacking(from, o.micro_batch, is_backward(o.kind) ? done_inputs : done_forward);
  }

 private:
  constexpr std::size_t lacking(std::size_t stage, std::size_t micro_batch, unsigned char bit) const {
    for (std::size_t seat = first_[stage]; seat < first_[stage + 1]; ++seat) {
      if ((at(seat, micro_batch) & bit) == 0) return seat;
    }
    return nowhere;
  }

  const Where* where_;
  dynamic_array<unsigned char> marks_;
  dynamic_array<std::size_t> first_;
};

}  // namespace impl

}  // namespace ipuflow::schedule
