// SPDX-License-Identifier: BSL-1.0
// Inference: forward (s, m) at step m + s on one stage an IPU; with several, micro-batches pass the IPUs in groups,
// once for each chunk of stages. M + S - 1 steps where each IPU has one stage, and any number of micro-batches.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> inference(setup asked) {
  asked.run_for = mode::inference;
  const std::size_t chunks = asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu;
  modular<> t{.where = grid_of(asked, chunks), .run_for = mode::inference};
  t.refused = verify_setup(asked, {.inference = true});
  t.span = t.where.stages;
  t.parts[0].hold(0, asked.micro_batches, t.where.ipus);
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 1, static_cast<step_number>(t.where.stages)};
  return t;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> inference(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(inference(setup_of(pipeline, Count)), pipeline);
}

}  // namespace ipuflow::schedule
