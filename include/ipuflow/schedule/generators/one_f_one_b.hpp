// SPDX-License-Identifier: BSL-1.0
// One forward, one backward: each IPU alternates as soon as the first gradient reaches it, so that IPU r keeps P - r
// micro-batches instead of all. Narayanan et al., "PipeDream" (flush variant). The eager variant starts forwards
// earlier, which hides the latency of messages and keeps about twice as many.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace impl {

inline constexpr auto write_1f1b = [](const auto& where) {
  auto t = lines_on(where);
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_group = 2};
  t[pass::backward] = {.runs = who::everyone, .at = 2 * number(where.stages) - 1, .per_stage = -1, .per_group = 2};
  return t;
};

inline constexpr auto write_eager_1f1b = [](const auto& where) {
  auto t = lines_on(where);
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 2, .per_group = 2};
  t[pass::backward] = {.runs = who::everyone, .at = 4 * number(where.stages) - 3, .per_stage = -2, .per_group = 2};
  return t;
};

}  // namespace impl

inline constexpr auto one_f_one_b = generator<"1f1b">({.stages_per_ipu = 1}, impl::write_1f1b, elsewhere(impl::write_1f1b));
inline constexpr auto eager_1f1b =
    generator<"eager_1f1b">({.stages_per_ipu = 1}, impl::write_eager_1f1b, elsewhere(impl::write_eager_1f1b));

}  // namespace ipuflow::schedule
