// SPDX-License-Identifier: BSL-1.0
// Stages in a V with half of the memory of 1F1B: a block of six operations repeats on every IPU, and in the ramps each
// IPU takes what is ready, within that memory. Qi et al., "Pipeline parallelism with controllable memory". The ramps
// are found by trying how many values the first chunk may keep, so the result is a table.
#pragma once

#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>
#include <initializer_list>

namespace ipuflow::schedule {

namespace impl {

/// One attempt: an IPU does the forward or backward that the repeating block has first of those that are ready,
/// otherwise a gradient for weights. `kept` bounds what both chunks keep, `kept_first` what the first one does.
class v_half_attempt {
 public:
  constexpr v_half_attempt(const grid& where, std::size_t extra, std::size_t kept, std::size_t kept_first)
      : where_{where},
        extra_{extra},
        kept_{kept},
        kept_first_{kept_first},
        lanes_{where.ipus},
        finish_{2 * where.stages * where.micro_batches, nowhere} {}

  /// Runs step by step, `use(ipu, operation, step)` for each; returns the steps, `nowhere` if it gets stuck.
  template <class Use>
  constexpr std::size_t run(Use use) {
    const std::size_t total = 3 * where_.stages * where_.micro_batches;
    const std::size_t hopeless = 12 * where_.micro_batches + 24 * where_.ipus;
    std::size_t step = 0;
    for (std::size_t finished = 0; finished < total; ++step) {
      if (step == hopeless) return nowhere;
      for (std::size_t ipu = 0; ipu < where_.ipus; ++ipu) {
        const std::size_t chosen = choose(ipu, step);
        if (chosen == nowhere) continue;
        use(ipu, take(ipu, chosen, step), step);
        ++finished;
      }
    }
    return step;
  }

 private:
  // The six of the block: forwards, backwards for inputs, gradients for weights, each of the first and the second
  // chunk.
  struct lane {
    std::size_t next[6]{};
  };

  constexpr std::size_t stage(std::size_t ipu, std::size_t which) const { return where_.stage_of(ipu, which % 2); }

  constexpr bool ready(std::size_t ipu, std::size_t which, std::size_t step) const {
    const lane& l = lanes_[ipu];
    const std::size_t m = l.next[which];
    const std::size_t s = stage(ipu, which);
    if (m == where_.micro_batches) return false;
    if (which >= 4) return m < l.next[which - 2];
    if (which >= 2) return m < l.next[which - 2] && (s + 1 == where_.stages || done(1, s + 1, m, step));
    const std::size_t first = l.next[0] - l.next[4];
    if (first + l.next[1] - l.next[5] >= kept_ || (which == 0 && first >= kept_first_)) return false;
    return s == 0 || done(0, s - 1, m, step);
  }
  constexpr bool done(std::size_t way, std::size_t s, std::size_t m, std::size_t step) const {
    return finish_[(2 * s + way) * where_.micro_batches + m] <= step;
  }

  constexpr std::size_t choose(std::size_t ipu, std::size_t step) const {
    const std::size_t p = where_.ipus;
    const std::size_t in_block[] = {2 * ipu, 3 * p - ipu - 2, 6 * p + extra_ - ipu - 2, 3 * p + extra_ + 2 * ipu - 1, 0,
                                    0};
    std::size_t best = nowhere;
    std::size_t best_at = nowhere;
    for (std::size_t which = 0; which < 4; ++which) {
      const std::size_t at = in_block[which] + 6 * lanes_[ipu].next[which];
      if (at >= best_at || !ready(ipu, which, step)) continue;
      best = which;
      best_at = at;
    }
    if (best != nowhere) return best;
    const bool first = ready(ipu, 4, step);
    const bool second = ready(ipu, 5, step);
    if (first && second) return lanes_[ipu].next[4] < lanes_[ipu].next[5] ? 4 : 5;
    return first ? 4 : second ? 5 : nowhere;
  }

  constexpr op take(std::size_t ipu, std::size_t which, std::size_t step) {
    constexpr pass kinds[] = {pass::forward, pass::backward_inputs, pass::backward_weights};
    const op o{kinds[which / 2], stage(ipu, which), lanes_[ipu].next[which]++};
    if (which < 4) finish_[(2 * o.stage + which / 2) * where_.micro_batches + o.micro_batch] = step + 1;
    return o;
  }

  grid where_;
  std::size_t extra_;
  std::size_t kept_;
  std::size_t kept_first_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> finish_;
};

}  // namespace impl

/// The shortest of the attempts; keeps at most 2 * floor((P + 2) / 2) values on an IPU.
inline constexpr auto v_half = generator<"v_half">({.stages_per_ipu = 2, .stages = layout::vee}, [](const grid& where) {
  const std::size_t kept = (where.ipus + 2) / 2 * 2;
  grid small = where;  // which attempt is shortest shows with few micro-batches
  if (small.micro_batches > 8 * where.ipus) small.micro_batches = 8 * where.ipus;
  std::size_t shortest = nowhere;
  std::size_t best_extra = 0;
  std::size_t best_first = kept;
  for (std::size_t first = kept / 2; first <= kept; ++first) {
    for (const std::size_t extra : {std::size_t{3}, std::size_t{0}}) {
      const std::size_t steps = impl::v_half_attempt{small, extra, kept, first}.run([](std::size_t, op, std::size_t) {});
      if (steps >= shortest) continue;
      shortest = steps;
      best_extra = extra;
      best_first = first;
    }
  }
  table found{where, mode::training};
  impl::v_half_attempt{where, best_extra, kept, best_first}.run(
      [&](std::size_t ipu, op o, std::size_t step) { found.rows[ipu].push_back({o, step, false}); });
  return found;
});

}  // namespace ipuflow::schedule
