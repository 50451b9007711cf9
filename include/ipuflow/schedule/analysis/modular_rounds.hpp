// SPDX-License-Identifier: BSL-1.0
// The rounds of a modular timetable: its steps, in periods of its lines. Steps order all operations behind what they read,
// so running them in turn keeps no more messages than are on their way. Between the steps at which a line starts or ends, all
// periods are alike.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/forms/modular.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The steps of one pass of a stage.
struct line_extent {
  step_number start = 0;
  step_number even_end = 0;  ///< until here each period has as many operations as any other
  step_number end = 0;
  step_number period = 1;

  template <class Where>
  constexpr line_extent(const Where& where, const pass_stream& s) : start{s.step(where)}, even_end{start}, period{s.per_group} {
    step_number latest = 0;  // of the members of a group
    bool evenly = true;
    for (std::size_t member = 0; member < s.group; ++member) {
      const step_number delay = s.per_member * number(where.delay(member));
      if (delay > latest) latest = delay;
      evenly = evenly && where.delay(member) == member;
    }
    if (evenly && s.per_group == s.per_member * number(s.group)) {
      period = s.per_member;
      even_end = end = start + period * number(s.left);
    } else {
      if (s.per_member >= 0 && latest < period) even_end += period * number(s.left / s.group);
      end = start + period * (number(s.left / s.group)) + (s.left % s.group == 0 ? 0 : latest + 1);
    }
    if (period <= 0) {  // runs at one step, or is no line of a schedule
      period = 1;
      even_end = start;
      end = start + latest + 1;
    }
  }
  constexpr line_extent() = default;
};

template <class Where>
class modular_rounds {
 public:
  constexpr explicit modular_rounds(const modular<Where>& t) : walks_{t.where.ipus}, next_{t.where.ipus, never} {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      walks_[ipu] = t.walk(ipu);
      t.for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t first) {
        extents_.push_back(line_extent{t.where, stream_of(p, l, kind, stage, t.span, first)});
      });
      read(ipu);
    }
    edge_ = at_ = earliest();
  }

  [[nodiscard]] constexpr bool done() const { return at_ == never; }

  template <class State>
  constexpr bool round(State& state) {
    if (at_ >= edge_) look();
    step_number end = at_ + period_;
    whole_ = even_ && end <= edge_;
    if (end > edge_) end = edge_;
    for (step_number step = at_; step < end;) {
      step_number soonest = never;
      for (std::size_t ipu = 0; ipu < walks_.size(); ++ipu) {
        for (; next_[ipu] == step; read(ipu)) {
          if (!state.take(ipu, *walks_[ipu])) return false;
          ++walks_[ipu];
        }
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
    for (std::size_t ipu = 0; ipu < walks_.size(); ++ipu) {
      if (!walks_[ipu]) continue;
      walks_[ipu].leave_out(rounds, period_, at_);
      read(ipu);
    }
    at_ += number(rounds) * period_;
  }

 private:
  static constexpr step_number never = step_number{1} << 62;

  constexpr void read(std::size_t ipu) { next_[ipu] = walks_[ipu] ? number(walks_[ipu]->step) : never; }
  constexpr step_number earliest() const {
    step_number first = never;
    for (const step_number next : next_) first = next < first ? next : first;
    return first;
  }

  /// Finds which lines run from here on, and until where these are all.
  constexpr void look() {
    even_ = true;
    edge_ = never;
    period_ = 0;
    for (const line_extent& e : extents_) {
      if (e.end <= at_) continue;
      const bool runs = e.start <= at_;
      const bool evenly = at_ < e.even_end;
      const step_number edge = !runs ? e.start : evenly ? e.even_end : e.end;
      if (edge < edge_) edge_ = edge;
      if (!runs) continue;
      even_ = even_ && evenly && (period_ == 0 || period_ == e.period);
      if (e.period > period_) period_ = e.period;
    }
    if (period_ == 0) period_ = 1;
  }

  dynamic_array<modular_walk<Where>> walks_;
  dynamic_array<step_number> next_;
  dynamic_array<line_extent> extents_{};
  step_number at_ = 0;
  step_number edge_ = 0;
  step_number period_ = 1;
  bool even_ = false;
  bool whole_ = false;
};

}  // namespace ipuflow::schedule::impl
