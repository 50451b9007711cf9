// SPDX-License-Identifier: BSL-1.0
// Schedules that split the backward and fill the ramps with gradients for weights. zb2p warms up so far that the first
// backward never waits, for twice the memory of 1F1B; v_min places stages in a V and keeps a third of it. Qi et al., "Zero
// bubble pipeline parallelism" and "Pipeline parallelism with controllable memory".
#pragma once

#include <ipuflow/schedule/one_f_one_b.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> zb2p(const setup& asked) {
  modular<> t = detail::one_stage_an_ipu(asked);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  t.parts[0][pass::forward] = {who::everyone, 0, 3, 0, 0, 3};
  t.parts[0][pass::backward_inputs] = {who::everyone, 6 * ipus - 5, -3, 0, 0, 3};
  t.parts[0][pass::backward_weights] = {who::everyone, 6 * ipus - 4, 3, 0, 0, 3};
  return t;
}

/// Each IPU repeats a block of six: both forwards, both backwards for inputs, and weights in the cells that are left.
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
constexpr modular<> zb2p(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(zb2p(setup_of(pipeline, Count)), pipeline);
}
template <staged Pipeline, std::size_t Count>
constexpr modular<> v_min(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(v_min(setup_of(pipeline, Count)), pipeline);
}
}  // namespace ipuflow::schedule
