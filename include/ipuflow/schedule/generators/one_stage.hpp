// SPDX-License-Identifier: BSL-1.0
// What schedules with one stage on each IPU have in common.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// A timetable without passes: one stage an IPU, micro-batches one by one.
constexpr modular<> one_stage_an_ipu(const setup& asked, const allowed& rule = {.stages_per_ipu = 1}) {
  modular<> t{.where = grid_of(asked, 1), .run_for = asked.run_for, .refused = verify_setup(asked, rule)};
  t.span = t.where.stages;
  t.parts[0].hold(0, asked.micro_batches, 1);
  return t;
}

}  // namespace ipuflow::schedule
