// SPDX-License-Identifier: BSL-1.0
// All forwards, then all backwards: the simplest schedule, which keeps every micro-batch. Huang et al., "GPipe".
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace impl {

inline constexpr auto write_gpipe = [](const auto& where) {
  auto t = lines_on(where);
  const step_number turn = number(where.micro_batches + 2 * where.stages) - 2;
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_group = 1};
  t[pass::backward] = {.runs = who::everyone, .at = turn, .per_stage = -1, .per_group = 1};
  return t;
};

}  // namespace impl

inline constexpr auto gpipe = generator<"gpipe">({.stages_per_ipu = 1}, impl::write_gpipe, elsewhere(impl::write_gpipe));

}  // namespace ipuflow::schedule
