// SPDX-License-Identifier: BSL-1.0
// Keys for the greedy rule: which operation is wanted first. Passes of one kind before another, or the order of a repeating
// block (Qi et al., "Pipeline parallelism with controllable memory") whose distances are drawn and fit the memory. All is
// counted in whole numbers, so that a seed gives the same keys on every machine.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/greedy.hpp>
#include <ipuflow/schedule/search/heads.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/search_random.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// True for a pass that hands nothing to other stages.
constexpr bool aside(const search_lane& lane) { return lane.kind == pass::backward_weights || lane.kind == pass::recompute; }

/// The lane of the pass that a lane follows in its micro-batch, those left out that hand nothing to other stages; `nowhere` for the first.
constexpr std::size_t passes_from(const search_instance& of, const search_lane& lane) {
  std::size_t b = lane.before[0];
  if (b != nowhere && aside(of.lanes[b])) b = lane.before[1];
  if (b != nowhere || lane.before[0] == nowhere) return b;
  return of.lanes[lane.before[0]].kind == pass::recompute ? of.lanes[lane.before[0]].before[0] : nowhere;  // what it makes again
}

/// The time of all passes of a micro-batch on the busiest IPU.
constexpr amount period_of(const search_instance& of) {
  amount period = 6;
  for (const auto& mine : of.of_ipu) {
    amount work = 0;
    for (const std::size_t l : mine) work += of.lanes[l].time;
    if (work > period) period = work;
  }
  return period;
}

/// Urgency as a key: the longer the path behind an operation, the earlier it is wanted.
constexpr void urgent_keys(greedy_orders& greedy, const search_heads& behind) {
  const std::size_t last = greedy.key.size() - 1;
  for (std::size_t id = 0; id <= last; ++id) greedy.key[id] = -behind.start[last - id];
}

/// Forwards first, backwards first, or one after the other behind a warm-up of as many forwards as there is time and room for;
/// gradients for weights last.
constexpr void plain_keys(greedy_orders& greedy, const search_instance& of, const search_heads& heads, std::size_t order) {
  const std::size_t count = of.micro_batches;
  const amount far = static_cast<amount>(count) * 8;
  const std::size_t weights = of.lanes.back().kind == pass::backward_weights ? (of.lanes.size() - of.recomputed) / 3 : 0;
  const std::size_t passes = of.lanes.size() - weights;
  for (std::size_t l = 0; l < of.lanes.size(); ++l) {
    const search_lane& lane = of.lanes[l];
    const bool forward = lane.kind == pass::forward;
    amount at = lane.kind == pass::backward_weights ? 2 * far : 0;
    if ((order == 0 && !forward) || (order == 1 && forward)) at += far;
    if (order == 2 && forward) {
      const amount round_trip = heads.start[(passes - 1 - l) * count] - heads.start[l * count];
      amount warm_up = lane.time > 0 ? round_trip / lane.time : 0;
      if (lane.memory > 0 && warm_up > of.limit[lane.ipu] / lane.memory) warm_up = of.limit[lane.ipu] / lane.memory;
      at = 1 - 2 * warm_up;
    }
    for (std::size_t m = 0; m < count; ++m) greedy.key[l * count + m] = at + 2 * static_cast<amount>(m);
  }
}

/// A rank for each kind of pass and chunk, drawn; gradients for weights in gaps or after a while.
constexpr void ranked_keys(greedy_orders& greedy, const search_instance& of, search_random& random) {
  const amount far = static_cast<amount>(of.micro_batches) * 2;
  amount base[2][8] = {};
  for (auto& kind : base) {
    for (amount& b : kind) b = static_cast<amount>(random(4)) * far / (random(2) == 0 ? 1 : 4);
  }
  const amount late = random(2) == 0 ? 4 * far : static_cast<amount>(random(2 * of.ipus));
  const amount slope = random(2) == 0 ? 0 : static_cast<amount>(random(3));
  for (std::size_t l = 0; l < of.lanes.size(); ++l) {
    const search_lane& lane = of.lanes[l];
    amount at = base[lane.kind == pass::forward ? 0 : 1][lane.chunk % 8];
    if (lane.kind == pass::backward_weights) {
      at += (lane.before[0] == nowhere ? -1 : 1) * (late + slope * static_cast<amount>(lane.ipu));
    }
    for (std::size_t m = 0; m < of.micro_batches; ++m) greedy.key[l * of.micro_batches + m] = at + static_cast<amount>(m);
  }
}

/// A repeating block: the time of each lane's first operation, and the period of all.
class search_block {
 public:
  constexpr explicit search_block(const search_instance& of)
      : of_{&of}, at_{of.lanes.size()}, wide_{of.lanes.size()}, least_{period_of(of)}, period_{least_} {
    while ((least_ >> time_shift_) > (1 << 16)) ++time_shift_;
    while ((of.most_room() >> memory_shift_) > (1 << 20)) ++memory_shift_;
  }

  /// Distances of stages in sixths of the period, so that equal passes do not meet; those that need more memory are drawn again.
  constexpr void draw_even(search_random& random) {
    period_ = least_;
    const amount sixth = period_ / 6;
    const amount full = 64 + static_cast<amount>(random(32));
    for (std::size_t attempt = 0; attempt < 24; ++attempt) {
      amount apart[2][8] = {};
      for (auto& kind : apart) {
        for (amount& a : kind) a = static_cast<amount>(1 + random(attempt < 12 ? 6 : 3)) * sixth;
      }
      const amount turns[2] = {static_cast<amount>(random(4)) * sixth,
                               random(2) == 0 ? 0 : static_cast<amount>(random(4)) * sixth};
      const amount late = static_cast<amount>(random(random(2) == 0 ? 3 : 12)) * sixth;
      lay_out([&](const search_lane& lane, const search_lane& from, amount least) {
        const amount wanted = apart[lane.kind == pass::forward ? 0 : 1][lane.chunk % 8];
        return lane.ipu == from.ipu ? least + turns[lane.kind == from.kind ? 0 : 1] : wanted > least ? wanted : least;
      });
      with_weights(at_, late, true);
      if (fullest(at_) * 64 <= full * period(time_shift_)) return;
    }
  }

  /// Any distances, drawn, and made wider or narrower until the block fills the memory, a random part more or less. A block that
  /// needs more than there is repeats less often.
  constexpr void draw(search_random& random) {
    period_ = least_;
    amount gap[2][8] = {};
    for (auto& kind : gap) {
      for (amount& g : kind) g = random(2) == 0 ? 0 : static_cast<amount>(random(1024));
    }
    const amount late = random(3) == 0 ? 0 : static_cast<amount>(random(1024 * (random(2) == 0 ? 1 : of_->ipus)));
    const amount turn = random(2) == 0 ? 0 : static_cast<amount>(random(2048));
    lay_out([](const search_lane&, const search_lane&, amount least) { return least; });
    const dynamic_array<amount> close = at_;
    lay_out([&](const search_lane& lane, const search_lane& from, amount) {
      return lane.ipu == from.ipu ? turn : gap[lane.kind == pass::forward ? 0 : 1][lane.chunk % 8];
    });
    wide_ = at_;
    at_ = close;
    with_weights(at_, 0, true);
    with_weights(wide_, late, false);
    if (random(3) == 0) {
      for (std::size_t l = 0; l < at_.size(); ++l) at_[l] += wide_[l] * (period_ / 1024 + 1) * 2 / 3;
    } else {
      fit(random);
    }
  }

  constexpr void write(greedy_orders& greedy) const {
    for (std::size_t l = 0; l < of_->lanes.size(); ++l) {
      for (std::size_t m = 0; m < of_->micro_batches; ++m) {
        greedy.key[l * of_->micro_batches + m] = at_[l] + period_ * static_cast<amount>(m);
      }
    }
  }

 private:
  constexpr amount period(std::size_t shift) const { return period_ >> shift; }

  template <class Distance>
  constexpr void lay_out(Distance distance) {
    for (std::size_t l = 0; l < of_->lanes.size(); ++l) {
      const search_lane& lane = of_->lanes[l];
      const std::size_t b = passes_from(*of_, lane);
      at_[l] = 0;
      if (aside(lane) || b == nowhere) continue;
      const search_lane& from = of_->lanes[b];
      at_[l] = at_[b] + distance(lane, from, from.time + lane.lag[lane.before[0] == b ? 0 : 1]);
    }
  }

  /// Puts gradients for weights behind their backward, and what is made again before it; on a mirrored instance the other way round.
  constexpr void with_weights(dynamic_array<amount>& at, amount late, bool timed) const {
    for (std::size_t l = 0; l < of_->lanes.size(); ++l) {
      const search_lane& lane = of_->lanes[l];
      if (lane.kind == pass::recompute) {
        const bool forwards = of_->lanes[lane.before[0]].kind == pass::forward;
        at[l] = forwards ? at[lane.after[0]] - (timed ? lane.time : 0) : at[lane.before[0]] + (timed ? of_->lanes[lane.before[0]].time : 0);
      }
      if (lane.kind != pass::backward_weights) continue;
      const std::size_t b = lane.before[0];
      if (b != nowhere) {
        at[l] = at[b] + (timed ? of_->lanes[b].time : 0) + late;
      } else {
        at[l] = at[lane.after[0]] - (timed ? lane.time : 0) - late;
      }
    }
  }

  /// The part of its limit that the fullest IPU holds on average, in times.
  constexpr amount fullest(const dynamic_array<amount>& at) const {
    amount most = 0;
    for (std::size_t ipu = 0; ipu < of_->ipus; ++ipu) {
      const amount limit = (of_->limit[ipu] >> memory_shift_) + 1;
      const amount part = held(ipu, at, time_shift_) / limit;
      if (part > most) most = part;
    }
    return most;
  }
  constexpr amount held(std::size_t ipu, const dynamic_array<amount>& at, std::size_t shift) const {
    amount sum = 0;
    for (const std::size_t l : of_->of_ipu[ipu]) {
      const amount time = at[l] + of_->lanes[l].time;
      sum -= shifted(of_->lanes[l].memory, memory_shift_) * shifted(time, shift);
    }
    return sum;
  }
  static constexpr amount shifted(amount value, std::size_t by) { return value / (amount{1} << by); }

  constexpr void fit(search_random& random) {
    const amount slack = 768 + static_cast<amount>(random(512));
    amount scale = endless;
    amount longest = period(time_shift_);
    for (std::size_t ipu = 0; ipu < of_->ipus; ++ipu) {
      const amount limit = (of_->limit[ipu] >> memory_shift_) + 1;
      const amount needs = held(ipu, at_, time_shift_);
      amount more = 0;
      for (const std::size_t l : of_->of_ipu[ipu]) more -= shifted(of_->lanes[l].memory, memory_shift_) * wide_[l];
      const amount room = limit * period(time_shift_) / 1024 * slack;
      if (needs / limit > longest) longest = needs / limit;
      more = more / 1024;
      if (more > 0 && (room - needs) / more < scale) scale = (room - needs) / more;
    }
    if (random(2) == 0) period_ = longest << time_shift_;
    if (scale <= 0 || scale >= endless) return;
    amount widest = 1;
    for (const amount w : wide_) widest = w > widest ? w : -w > widest ? -w : widest;
    const amount most = shifted(endless, time_shift_) / widest;  // so that products are numbers
    if (scale > most) scale = most;
    for (std::size_t l = 0; l < at_.size(); ++l) at_[l] += wide_[l] * (scale << time_shift_) / 1024;
  }

  const search_instance* of_;
  dynamic_array<amount> at_;
  dynamic_array<amount> wide_;
  amount least_;
  amount period_;
  std::size_t time_shift_ = 0;
  std::size_t memory_shift_ = 0;
};

}  // namespace ipuflow::schedule::impl
