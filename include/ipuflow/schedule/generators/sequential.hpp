// SPDX-License-Identifier: BSL-1.0
// One operation at a time in the whole system: sequential is the pipeline without overlap, useful to debug it; sharded
// is the same order for a model that is merely cut over several IPUs.
#pragma once

#include <ipuflow/schedule/generators/device_generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace detail {

inline constexpr auto one_at_a_time = []<class Where>(const Where& where, mode run_for, recomputation recompute) {
  auto t = lines_on(where);
  t.goes = pace::in_turn;
  const bool trains = run_for == mode::training;
  const step_number slots = number(where.stages) * (trains ? 2 : 1);
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_group = slots};
  if (!trains) return t;
  t[pass::backward] = {.runs = who::everyone, .at = slots - 1, .per_stage = -1, .per_group = slots};
  t.recompute = impl::resolved(recompute, recomputation::and_backpropagate);
  return t;
};

}  // namespace detail

inline constexpr auto sequential = generator<"sequential", recomputation>(
    allowed_on_devices{.recomputes_only = recomputation::and_backpropagate}, detail::one_at_a_time);

/// The same without FIFOs between the passes of a stage, and for a single stage too.
inline constexpr auto sharded = generator<"sharded", recomputation>(
    allowed_on_devices{.overlaps = false, .recomputes_only = recomputation::and_backpropagate}, detail::one_at_a_time);

}  // namespace ipuflow::schedule
