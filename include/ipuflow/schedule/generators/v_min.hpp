// SPDX-License-Identifier: BSL-1.0
// Stages in a V and the least memory of its family: a third of that of 1F1B. Each IPU repeats a block of six: both
// forwards, both backwards for inputs, and gradients for weights in the cells that are left. Qi et al., "Pipeline
// parallelism with controllable memory".
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> v_min(const setup& asked) {
  modular<> t{.where = grid_of(asked, 2, layout::vee),
              .run_for = asked.run_for,
              .refused = verify_setup(asked, {.stages_per_ipu = 2})};
  t.span = t.where.stages;
  t.parts[0].hold(0, asked.micro_batches, 1);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  const step_number back = 4 * ipus - 1 + (ipus % 3 == 0 ? 2 : 0);
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 0, 6};
  t.parts[0][pass::backward_inputs] = {who::everyone, back, -1, 0, 0, 6};
  t.parts[0][pass::backward_weights] = {who::everyone, back + (ipus % 3 == 2 ? 4 : 2), -1, 0, 0, 6};
  return t;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> v_min(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(v_min(setup_of(pipeline, Count)), pipeline);
}
}  // namespace ipuflow::schedule
