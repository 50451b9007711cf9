// SPDX-License-Identifier: BSL-1.0
// Zero bubble at twice the memory of 1F1B: the backward is split, each IPU warms up so far that its first backward
// never waits, and gradients for weights come late enough to fill the ramp-down. Qi et al., "Zero bubble pipeline
// parallelism".
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

inline constexpr auto zb2p = generator<"zb2p">({.stages_per_ipu = 1}, [](const grid& where) {
  auto t = lines_on(where);
  const step_number ipus = number(where.ipus);
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 3, .per_group = 3};
  t[pass::backward_inputs] = {.runs = who::everyone, .at = 6 * ipus - 5, .per_stage = -3, .per_group = 3};
  t[pass::backward_weights] = {.runs = who::everyone, .at = 6 * ipus - 4, .per_stage = 3, .per_group = 3};
  return t;
});

}  // namespace ipuflow::schedule
