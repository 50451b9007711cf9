// SPDX-License-Identifier: BSL-1.0
// Two pipelines in opposite directions over the same IPUs, each running half of the micro-batches as 1F1B: the forwards
// and backwards of one fall into the gaps of the other. Every stage is on two IPUs. Li and Hoefler, "Chimera".
#pragma once

#include <ipuflow/schedule/modular.hpp>
#include <ipuflow/schedule/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> chimera(const setup& asked) {
  modular<> t{.where = grid_of(asked, 1, layout::mirrored),
              .run_for = asked.run_for,
              .refused = verify_setup(asked, {.stages_per_ipu = 0, .least = 2, .multiple = 2, .even_ipus = true})};
  if (!t.refused && asked.stages_per_ipu > 2) t.refused = {schedule_wrong::stages_an_ipu, {}, asked.stages_per_ipu, 2};
  t.span = t.where.stages;
  const auto ipus = static_cast<step_number>(t.where.ipus);
  t.parts[0].hold(0, asked.micro_batches / 2, t.where.ipus < 2 ? 1 : t.where.ipus / 2);
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 2, 2 * ipus};
  t.parts[0][pass::backward] = {who::everyone, 2 * ipus - 1, -1, 0, 2, 2 * ipus};
  return t;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> chimera(const Pipeline& pipeline, micro_batches_t<Count>) {
  setup asked = setup_of(pipeline, Count);
  asked.stages_per_ipu = 0;
  return on_devices_of(chimera(asked), pipeline);
}

}  // namespace ipuflow::schedule
