// SPDX-License-Identifier: BSL-1.0
// The rounds of a modular timetable: its steps, in periods of its lines. Steps order all operations behind what they read,
// so running them in turn keeps no more messages than are on their way. Between the steps at which a line starts or ends, all
// periods are alike.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/line_extent.hpp>
#include <ipuflow/schedule/forms/modular.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The operations of a pass that are left.
template <class Event>
struct line_run {
  Event event{};
  step_number period = 1;
  step_number apart = 0;
  std::size_t left = 0;
  std::size_t group = 1;
  std::size_t member = 0;
};

template <class Where, class State>
class modular_rounds {
 public:
  constexpr modular_rounds(const modular<Where>& t, State& state) : where_{t.where}, first_{t.where.ipus + 1}, next_{t.where.ipus, no_step} {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      dynamic_array<std::size_t> ranks;
      t.for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t first) {
        const pass_stream s = stream_of(p, l, kind, stage, t.span, first);
        const line_extent e{t.where, s};
        extents_.push_back(e);
        runs_.push_back({state.event_of(ipu, s.what), e.period, e.apart, s.left, e.group, 0});
        ranks.push_back(rank_in_step(kind, stage));
        for (std::size_t i = ranks.size() - 1; i > 0 && ranks[i] < ranks[i - 1]; --i) {
          swap(ranks[i], ranks[i - 1]);
          swap(runs_[first_[ipu] + i], runs_[first_[ipu] + i - 1]);
          swap(extents_[first_[ipu] + i], extents_[first_[ipu] + i - 1]);
        }
      });
      first_[ipu + 1] = runs_.size();
      in_order_ = in_order_ && one_after_the_other(ranks, first_[ipu]);
    }
    steps_ = dynamic_array<step_number>{runs_.size()};
    for (std::size_t i = 0; i < runs_.size(); ++i) steps_[i] = extents_[i].start;
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) read(ipu);
    for (std::size_t i = 0; i < t.part_count; ++i) {  // one kind of backward, which all stages run in the order of one line
      in_order_ = in_order_ && (t.parts[i][pass::backward].runs == who::none || t.parts[i][pass::backward_inputs].runs == who::none);
    }
    edge_ = at_ = earliest();
  }

  [[nodiscard]] constexpr bool done() const { return at_ == no_step; }

  constexpr bool round(State& state) {
    if (!in_order_) return false;
    if (at_ >= edge_) look();
    step_number end = at_ + period_;
    whole_ = even_ && end <= edge_;
    if (whole_) state.expect(operations_before(end));
    if (end > edge_) end = edge_;
    for (step_number step = at_; step < end;) {
      step_number soonest = no_step;
      for (std::size_t ipu = 0; ipu < next_.size(); ++ipu) {
        if (next_[ipu] == step && !run(state, ipu, step)) return false;
        if (next_[ipu] < soonest) soonest = next_[ipu];
      }
      step = soonest;
    }
    at_ = end < edge_ ? end : earliest();
    return true;
  }

  [[nodiscard]] constexpr std::size_t alike() const {
    return whole_ && at_ < edge_ ? static_cast<std::size_t>((edge_ - at_) / period_) : 0;
  }

  constexpr void leave_out(std::size_t rounds) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (steps_[i] >= at_ + period_) continue;
      runs_[i].left -= rounds * runs_[i].group;
      steps_[i] += number(rounds) * period_;
      if (runs_[i].left == 0) steps_[i] = no_step;
    }
    for (std::size_t ipu = 0; ipu < next_.size(); ++ipu) read(ipu);
    at_ += number(rounds) * period_;
  }

 private:
  using event = typename State::event;
  static constexpr step_number ramp = 64;

  /// True if a pass runs one part behind the other, so that all stages have its micro-batches in the same order.
  constexpr bool one_after_the_other(const dynamic_array<std::size_t>& ranks, std::size_t first) const {
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      if (ranks[i] == ranks[i - 1] && runs_[first + i].event == runs_[first + i - 1].event &&
          extents_[first + i].start < extents_[first + i - 1].end) return false;
    }
    return true;
  }

  /// The operations of a whole round that ends there.
  constexpr std::size_t operations_before(step_number end) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) sum += steps_[i] < end ? runs_[i].group : 0;
    return sum;
  }

  /// The operations of an IPU at a step.
  constexpr bool run(State& state, std::size_t ipu, step_number step) {
    step_number soonest = no_step;
    const std::size_t end = first_[ipu + 1];
    for (std::size_t i = first_[ipu]; i < end; ++i) {
      step_number& at = steps_[i];
      while (at == step) {
        line_run<event>& r = runs_[i];
        if (!state.take(r.event)) return false;
        advance(r, at);
      }
      if (at < soonest) soonest = at;
    }
    next_[ipu] = soonest;
    return true;
  }
  constexpr void advance(line_run<event>& r, step_number& step) const {
    if (--r.left == 0) {
      step = no_step;
    } else if (r.group == 1) {
      step += r.period;
    } else {
      step -= r.apart * number(where_.delay(r.member));
      if (++r.member == r.group) r.member = 0;
      step += r.apart * number(where_.delay(r.member)) + (r.member == 0 ? r.period : 0);
    }
  }
  constexpr void read(std::size_t ipu) {
    step_number first = no_step;
    for (std::size_t i = first_[ipu]; i < first_[ipu + 1]; ++i) first = steps_[i] < first ? steps_[i] : first;
    next_[ipu] = first;
  }
  template <class Value>
  static constexpr void swap(Value& a, Value& b) {
    const Value kept = a;
    a = b;
    b = kept;
  }
  constexpr step_number earliest() const {
    step_number first = no_step;
    for (const step_number next : next_) first = next < first ? next : first;
    return first;
  }

  /// Finds which lines run from here on, and until where these are all.
  constexpr void look() {
    even_stretch next{at_};
    for (const line_extent& e : extents_) next.add(e);
    next.settle(ramp);
    even_ = next.even;
    period_ = next.period;
    edge_ = next.edge;
  }

  Where where_;
  dynamic_array<line_extent> extents_{};     // of one IPU after the other, in the order of operations of one step
  dynamic_array<line_run<event>> runs_{};
  dynamic_array<std::size_t> first_;         // of each IPU
  dynamic_array<step_number> steps_{};       // of the next operation of each run
  dynamic_array<step_number> next_;          // the first of an IPU's
  step_number at_ = 0;
  step_number edge_ = 0;
  step_number period_ = 1;
  bool even_ = false;
  bool whole_ = false;
  bool in_order_ = true;  // messages are read in the order in which they are made
};

}  // namespace ipuflow::schedule::impl
