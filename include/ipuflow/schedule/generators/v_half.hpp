// SPDX-License-Identifier: BSL-1.0
// Stages in a V with half of the memory of 1F1B: a block of six operations repeats on every IPU, and in the ramps each
// IPU takes what is ready, within that memory. Qi et al., "Pipeline parallelism with controllable memory". The ramps
// are found by trying how many values the first chunk may keep, so the result is a table; the best of these trials is
// known for up to 64 IPUs and enough micro-batches. Compilers work out some 12,000 operations in a constant expression, and
// say so beyond. What is too large for a table is the blocks as a program, with the ramps that they have of themselves.
#pragma once

#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/generators/block_phases.hpp>
#include <ipuflow/schedule/generators/generator.hpp>
#include <ipuflow/schedule/generators/squeeze.hpp>

#include <cstddef>
#include <initializer_list>
#include <string_view>  // std::size, without the streams that <iterator> brings
#include <type_traits>

namespace ipuflow::schedule {

namespace impl {

/// The choice that an attempt depends on besides the sizes.
struct v_half_choice {
  std::size_t kept_first = 0;  ///< values that the first chunk keeps at most
  std::size_t extra = 0;       ///< steps by which the block's last two operations are later, 0 or 3
  bool frees = false;          ///< a gradient for weights comes before a forward that takes the last place
};

/// One attempt: an IPU does the forward or backward that the repeating block has first of those that are ready,
/// otherwise a gradient for weights. `kept` bounds what both chunks keep. The loop over all cells is written for
/// compilers that run it in a constant expression, where every statement counts and expressions do not.
class v_half_attempt {
 public:
  constexpr v_half_attempt(const grid& where, std::size_t kept, v_half_choice by)
      : where_{where},
        by_{by},
        kept_{kept},
        lanes_{where.ipus},
        finish_{2 * where.stages * where.micro_batches, nowhere} {
    for (std::size_t ipu = 0; ipu < where.ipus; ++ipu) lanes_[ipu] = lane_of(ipu);
  }

  /// Runs step by step, `use(ipu, operation, step)` for each; returns the steps, or `nowhere` if it gets stuck or takes
  /// `most` steps or more.
  template <class Use>
  constexpr std::size_t run(Use use, std::size_t most = nowhere) {
    const std::size_t total = 3 * where_.stages * where_.micro_batches;
    std::size_t step = 0;
    for (std::size_t finished = 0; finished < total; ++step) {
      if (step + 1 >= most) return nowhere;
      const std::size_t before = finished;
      for (std::size_t ipu = 0; ipu < where_.ipus; ++ipu) {
        const std::size_t chosen = choose(lanes_[ipu], step);
        if (chosen == nowhere) continue;
        use(ipu, take(ipu, chosen, step), step);
        ++finished;
      }
      if (finished == before) return nowhere;  // what was done a step ago is there, so nothing else will come
    }
    return step;
  }

 private:
  // The six of the block: forwards, backwards for inputs, gradients for weights, each of the first and the second
  // chunk.
  struct lane {
    std::size_t next[6]{};            ///< micro-batch of each
    std::size_t in_block[4]{};        ///< where the block has them
    const std::size_t* reads[4]{};    ///< when what they read on another IPU is there, by micro-batch; null if nothing is
    std::size_t* finish[4]{};         ///< the same of themselves
  };

  constexpr lane lane_of(std::size_t ipu) {
    const std::size_t p = where_.ipus;
    lane l{.in_block = {2 * ipu, 3 * p - ipu - 2, 6 * p + by_.extra - ipu - 2, 3 * p + by_.extra + 2 * ipu - 1}};
    for (std::size_t which = 0; which < 4; ++which) {
      const std::size_t s = where_.stage_of(ipu, which % 2);
      const bool back = which >= 2;
      l.finish[which] = finish_of(s, back);
      if (back ? s + 1 < where_.stages : s > 0) l.reads[which] = finish_of(back ? s + 1 : s - 1, back);
    }
    return l;
  }
  constexpr std::size_t* finish_of(std::size_t stage, bool back) {
    return finish_.data() + (2 * stage + (back ? 1 : 0)) * where_.micro_batches;
  }

  constexpr std::size_t choose(const lane& l, std::size_t step) const {
    const std::size_t* const next = l.next;
    const std::size_t first = next[0] - next[4];
    const bool room[] = {first < by_.kept_first && first + next[1] - next[5] < kept_, first + next[1] - next[5] < kept_,
                         next[2] < next[0], next[3] < next[1]};
    std::size_t best = nowhere;
    std::size_t best_at = nowhere;
    for (std::size_t which = 0; which < 4; ++which) {
      const std::size_t at = l.in_block[which] + 6 * next[which];
      if (at < best_at && room[which] && next[which] < where_.micro_batches &&
          (l.reads[which] == nullptr || l.reads[which][next[which]] <= step)) {
        best = which;
        best_at = at;
      }
    }
    if (best != nowhere && !(by_.frees && best < 2 && first + next[1] - next[5] + 1 >= kept_)) return best;
    const bool first_late = next[4] < next[2], second_late = next[5] < next[3];
    if (first_late && second_late) return next[4] < next[5] ? 4 : 5;
    return first_late ? 4 : second_late ? 5 : best;
  }

  constexpr op take(std::size_t ipu, std::size_t which, std::size_t step) {
    constexpr pass kinds[] = {pass::forward, pass::backward_inputs, pass::backward_weights};
    lane& l = lanes_[ipu];
    const std::size_t m = l.next[which]++;
    if (which < 4) l.finish[which][m] = step + 1;
    return {kinds[which / 2], where_.stage_of(ipu, which % 2), m};
  }

  grid where_;
  v_half_choice by_;
  std::size_t kept_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> finish_;
};

/// The values that an IPU keeps at most.
constexpr std::size_t v_half_keeps(std::size_t ipus) { return (ipus + 2) / 2 * 2; }

constexpr std::size_t v_half_attempts_of(std::size_t ipus) { return 2 * (v_half_keeps(ipus) / 2 + 1); }

/// The attempt with the fewest steps, found by trying all.
constexpr v_half_choice v_half_search(const grid& where) {
  const std::size_t kept = v_half_keeps(where.ipus);
  std::size_t shortest = nowhere;
  v_half_choice best{kept, 0};
  for (std::size_t first = kept / 2; first <= kept; ++first) {
    for (const std::size_t extra : {std::size_t{3}, std::size_t{0}}) {
      const std::size_t steps =
          v_half_attempt{where, kept, {first, extra}}.run([](std::size_t, op, std::size_t) {}, shortest);
      if (steps == nowhere) continue;
      shortest = steps;
      best = {first, extra};
    }
  }
  return best;
}

/// The choices that the search finds for eight micro-batches per IPU, by the number of IPUs less one; the tests search again.
inline constexpr v_half_choice v_half_found[] = {
    {1, 3},  {3, 3},  {3, 3},  {5, 3},  {5, 3},  {5, 3},  {6, 0},  {7, 3},  {8, 0},  {9, 3},  {9, 0},
    {10, 3}, {11, 0}, {12, 3}, {12, 3}, {14, 3}, {14, 0}, {15, 3}, {16, 0}, {17, 0}, {17, 0}, {18, 0},
    {19, 0}, {20, 0}, {20, 3}, {21, 3}, {22, 0}, {23, 3}, {24, 3}, {24, 0}, {25, 0}, {26, 0}, {27, 0},
    {28, 0}, {28, 0}, {29, 3}, {30, 0}, {31, 0}, {32, 3}, {32, 3}, {33, 0}, {34, 0}, {35, 0}, {36, 3},
    {36, 0}, {37, 0}, {38, 0}, {39, 3}, {40, 3}, {40, 0}, {41, 0}, {42, 0}, {43, 0}, {43, 3}, {44, 0},
    {45, 0}, {46, 0}, {47, 0}, {49, 0}, {48, 0}, {49, 0}, {50, 0}, {51, 0}, {52, 0}};

/// True if the shortest attempt is in the list: it shows with eight micro-batches per IPU, if there are as many.
constexpr bool v_half_is_known(const grid& where) {
  return where.micro_batches >= 8 * where.ipus && where.ipus <= std::size(v_half_found);
}
constexpr v_half_choice v_half_best(grid where) {
  if (v_half_is_known(where)) return v_half_found[where.ipus - 1];
  if (where.micro_batches > 8 * where.ipus) where.micro_batches = 8 * where.ipus;
  return v_half_search(where);
}

/// The operations that compilers can make and verify by their usual limits. Clang counts 76 steps for each, and 46 for each in
/// an attempt of a search [counted by bench/constexpr_steps.sh].
constexpr std::size_t v_half_most_in_constants(const grid& where) {
  const std::size_t attempts = v_half_is_known(where) ? 0 : v_half_attempts_of(where.ipus);
  return 1'040'000 / (76 + 46 * attempts);
}

/// Gigabytes, and some seconds.
inline constexpr std::size_t v_half_most = std::size_t{1} << 26;

/// The published positions of its block.
constexpr block_cells v_half_block(std::size_t ipus, std::size_t ipu) {
  const std::size_t extra = ipus % 2 == 0 ? 3 : 0;
  return {{2 * ipu, 3 * ipus - ipu - 2, 3 * ipus + extra + 2 * ipu - 1, 6 * ipus + extra - ipu - 2}};
}

constexpr phase_list v_half_phases(const grid& where, std::size_t ipu) {
  return block_phases{whole_block{v_half_block(where.ipus, ipu)}, where.micro_batches}.phases();
}

/// The blocks with the ramps that they have of themselves, for any sizes: with eight micro-batches an IPU 1 % longer than an attempt.
constexpr program v_half_program(const grid& where) { return {.where = where, .phases = &v_half_phases, .settled = 4 * where.ipus}; }
inline constexpr auto v_half_blocks =
    generator<"v_half">({.stages_per_ipu = 2, .stages = layout::vee}, [](const grid& where) { return v_half_program(where); });

/// The operations of all attempts of a search.
constexpr std::size_t v_half_searched(const grid& where) {
  const std::size_t each = where.micro_batches < 8 * where.ipus ? where.micro_batches : 8 * where.ipus;
  return v_half_is_known(where) ? 0 : v_half_attempts_of(where.ipus) * 3 * where.stages * each;
}

/// Some seconds.
inline constexpr std::size_t v_half_most_searched = std::size_t{1} << 28;

/// The shortest of the attempts, or the blocks where there are too many to try; keeps at most 2 * floor((P + 2) / 2) values on an IPU.
inline constexpr auto v_half_attempts = generator<"v_half">({.stages_per_ipu = 2, .stages = layout::vee}, [](const grid& where) {
  table found{where, mode::training};
  const std::size_t operations = 3 * where.stages * where.micro_batches;
  if (std::is_constant_evaluated() && operations > v_half_most_in_constants(where)) {
    found.refused = {schedule_wrong::too_large_for_a_constant, operations, v_half_most_in_constants(where)};
    return found;
  }
  if (operations > v_half_most) {
    found.refused = {schedule_wrong::too_large_for_a_table, operations, v_half_most};
    return found;
  }
  if (v_half_searched(where) > v_half_most_searched) return tabulate(v_half_program(where));
  v_half_attempt{where, v_half_keeps(where.ipus), v_half_best(where)}.run(
      [&](std::size_t ipu, op o, std::size_t step) { found.rows[ipu].push_back({o, step, false}); });
  return found;
});

struct v_half_t : decltype(v_half_attempts) {
  /// Calls `use(timetable)` with the shortest attempt, or with the squeezed blocks where these are shorter; where both are too large for
  /// a table, with the blocks as they are.
  template <class Use>
  constexpr decltype(auto) by_name(const setup& asked, Use&& use) const {
    const table attempt = (*this)(asked);
    if (attempt.refused.kind == schedule_wrong::too_large_for_a_table) return use(v_half_blocks(asked));
    if (attempt.refused) return use(attempt);
    const table blocks = squeezed_blocks<>(attempt.where.ipus, attempt.where.micro_batches, v_half_block);
    return blocks.steps() > 0 && blocks.steps() < attempt.steps() ? use(blocks) : use(attempt);
  }
};

}  // namespace impl

/// As a call it is the shortest of the attempts, which compilers can make; by its name squeezed blocks, where these are shorter.
inline constexpr impl::v_half_t v_half{impl::v_half_attempts};

}  // namespace ipuflow::schedule
