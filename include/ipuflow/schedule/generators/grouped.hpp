// SPDX-License-Identifier: BSL-1.0
// Grouped: all IPUs step together, and in each step an IPU does the backward of one micro-batch and the forward of a
// later one. Forward (s, m) is at step m + s, backward (s, m) at m + 2S-1-s. The vendor's default; it needs whole
// multiples of the 2S slots (S for inference) because its programs have no shorter ramps.
#pragma once

#include <ipuflow/schedule/generators/device_generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// Options of the schedule `grouped`.
struct grouped_options {
  recomputation recompute = recomputation::none;  ///< automatic: one step before the backward
  bool io_tiles = false;  ///< infeed, compute and outfeed of a micro-batch one step apart, on tiles of their own

  friend constexpr bool operator==(const grouped_options&, const grouped_options&) = default;
};

constexpr recomputation recomputation_of(const grouped_options& options) { return options.recompute; }
constexpr std::size_t least_rounds(const grouped_options& options) { return options.io_tiles ? 2 : 1; }

inline constexpr auto grouped = generator<"grouped", grouped_options>(
    {.training = fills::slots, .inference = fills::stages},
    []<class Where>(const Where& where, mode run_for, const grouped_options& options) {
      auto t = lines_on(where);
      t.goes = pace::in_step;
      t.alone = false;
      const step_number start = options.io_tiles ? 1 : 0;
      const step_number turn = start + 2 * number(where.stages) - 1;
      t[pass::forward] = {.runs = who::everyone, .at = start, .per_stage = 1, .per_group = 1};
      if (options.io_tiles) {
        t[pass::infeed] = {.runs = who::first, .at = 0, .per_stage = 1, .per_group = 1};
        t[pass::outfeed] = {.runs = who::last, .at = start + 1, .per_stage = 1, .per_group = 1};
      }
      if (run_for == mode::inference) return t;
      t[pass::backward] = {.runs = who::everyone, .at = turn, .per_stage = -1, .per_group = 1};
      t.recompute = impl::resolved(options.recompute, recomputation::then_backpropagate);
      if (t.recompute != recomputation::then_backpropagate) return t;
      t[pass::recompute] = {.runs = who::all_but_last, .at = turn - 1, .per_stage = -1, .per_group = 1};
      return t;
    });

}  // namespace ipuflow::schedule
