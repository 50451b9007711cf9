// SPDX-License-Identifier: BSL-1.0
// Two pipelines in opposite directions over the same IPUs, each running half of the micro-batches as 1F1B: the forwards
// and backwards of one fall into the gaps of the other. Every stage is on two IPUs. Li and Hoefler, "Chimera".
// Units of P micro-batches follow each other without a gap. Where P does not divide their number, units are made larger
// instead of leaving a short one: in one of h micro-batches each way the backwards of a stage take over the slots of
// the other way's forwards after 2h steps, for any h of at least P/2.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> chimera(const setup& asked) {
  modular<> t{.where = grid_of(asked, 1, layout::mirrored),
              .run_for = asked.run_for,
              .refused = verify_setup(asked, {.stages_per_ipu = 0, .least = 2, .multiple = 2, .even_ipus = true})};
  if (!t.refused && asked.stages_per_ipu > 2) t.refused = {schedule_wrong::stages_an_ipu, {}, asked.stages_per_ipu, 2};
  t.span = t.where.stages;
  const std::size_t half = asked.micro_batches / 2;
  const std::size_t unit = t.where.ipus < 2 ? 1 : t.where.ipus / 2;
  const std::size_t units = half < unit ? 1 : half / unit;
  const std::size_t larger = half % units * (half / units + 1);
  t.part_count = larger == 0 ? 1 : 2;
  if (larger > 0) t.parts[0].hold(0, larger, half / units + 1);
  t.parts[t.part_count - 1].hold(larger, half - larger, half < units ? 1 : half / units);
  for (std::size_t i = 0; i < t.part_count; ++i) {
    const auto slots = static_cast<step_number>(2 * (t.parts[i].group < unit ? unit : t.parts[i].group));
    const auto first = static_cast<step_number>(4 * t.parts[i].first);
    const auto ipus = static_cast<step_number>(t.where.ipus);
    t.parts[i][pass::forward] = {who::everyone, first, 1, 0, 2, 2 * slots};
    t.parts[i][pass::backward] = {who::everyone, first + ipus - 1 + slots, -1, 0, 2, 2 * slots};
  }
  return t;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> chimera(const Pipeline& pipeline, micro_batches_t<Count>) {
  setup asked = setup_of(pipeline, Count);
  asked.stages_per_ipu = 0;
  return on_devices_of(chimera(asked), pipeline);
}

}  // namespace ipuflow::schedule
