// SPDX-License-Identifier: BSL-1.0
// Stages in a V and the least memory of its family: a third of that of 1F1B. Each IPU repeats a block of six: both
// forwards, both backwards for inputs, and gradients for weights in the cells that are left. Qi et al., "Pipeline
// parallelism with controllable memory".
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

inline constexpr auto v_min = generator<"v_min">({.stages_per_ipu = 2, .stages = layout::vee}, [](const grid& where) {
  auto t = lines_on(where);
  const step_number ipus = number(where.ipus);
  const step_number back = 4 * ipus - 1 + (ipus % 3 == 0 ? 2 : 0);
  const step_number weights = back + (ipus % 3 == 2 ? 4 : 2);
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_group = 6};
  t[pass::backward_inputs] = {.runs = who::everyone, .at = back, .per_stage = -1, .per_group = 6};
  t[pass::backward_weights] = {.runs = who::everyone, .at = weights, .per_stage = -1, .per_group = 6};
  return t;
});

}  // namespace ipuflow::schedule
