// SPDX-License-Identifier: BSL-1.0
// The arithmetic of a schedule in closed form: each pass runs at a step that is linear in the stage, in the member of a
// group of micro-batches and in the group. Compilers know this as a modulo schedule: the distance between groups is the
// initiation interval, and ramp-up and ramp-down are what is left of it at the two ends.
#pragma once

#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule {

using step_number = std::ptrdiff_t;

/// A size in the arithmetic of steps, which has negative numbers.
[[nodiscard]] constexpr step_number number(std::size_t n) { return static_cast<step_number>(n); }

/// The stages that have a pass at all.
enum class who : unsigned char { none, everyone, first, last, all_but_last };

/// The steps of one pass: at + per_stage * rank + per_chunk * chunk + per_member * delay(member) + per_group * group,
/// where stage = chunk * span + rank.
struct line {
  who runs = who::none;
  step_number at = 0;
  step_number per_stage = 0;
  step_number per_chunk = 0;
  step_number per_member = 0;
  step_number per_group = 0;

  friend constexpr bool operator==(const line&, const line&) = default;

  constexpr bool has(std::size_t stage, std::size_t stages) const {
    switch (runs) {
      case who::none:
        return false;
      case who::everyone:
        return true;
      case who::first:
        return stage == 0;
      case who::last:
        return stage + 1 == stages;
      default:
        return stage + 1 < stages;
    }
  }
  /// The step of the first micro-batch of the part.
  constexpr step_number base(std::size_t stage, std::size_t span) const {
    return at + per_stage * number(stage % span) + per_chunk * number(stage / span);
  }
};

/// A run of micro-batches cut into groups of equal size, the last perhaps shorter.
struct part {
  std::size_t first = 0;
  std::size_t micro_batches = 0;
  std::size_t group = 1;
  line of[pass_count]{};

  friend constexpr bool operator==(const part&, const part&) = default;

  constexpr void assign(std::size_t from, std::size_t count, std::size_t group_size) {
    first = from;
    micro_batches = count;
    group = group_size;
  }
  constexpr line& operator[](pass kind) { return of[static_cast<std::size_t>(kind)]; }
  constexpr const line& operator[](pass kind) const { return of[static_cast<std::size_t>(kind)]; }
  constexpr std::size_t groups() const { return (micro_batches + group - 1) / group; }
};

namespace impl {

/// The rank of an operation among those of its IPU in the same step: as in the vendor's programs, backward stages
/// before forward ones, the highest slot first, recomputation last.
[[nodiscard]] constexpr std::size_t rank_in_step(pass kind, std::size_t stage) {
  constexpr std::size_t order[] = {3, 1, 1, 2, 4, 6, 0, 5};
  const std::size_t within = kind == pass::forward ? most_stages - 1 - stage : stage;
  return order[static_cast<std::size_t>(kind)] * most_stages + within;
}

}  // namespace impl

}  // namespace ipuflow::schedule
