// SPDX-License-Identifier: BSL-1.0
// Zero bubble at twice the memory of 1F1B: the backward is split, each IPU warms up so far that its first backward
// never waits, and gradients for weights come late enough to fill the ramp-down. Qi et al., "Zero bubble pipeline
// parallelism".
#pragma once

#include <ipuflow/schedule/generators/one_stage.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> zb2p(const setup& asked) {
  modular<> t = one_stage_an_ipu(asked);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  t.parts[0][pass::forward] = {who::everyone, 0, 3, 0, 0, 3};
  t.parts[0][pass::backward_inputs] = {who::everyone, 6 * ipus - 5, -3, 0, 0, 3};
  t.parts[0][pass::backward_weights] = {who::everyone, 6 * ipus - 4, 3, 0, 0, 3};
  return t;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> zb2p(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(zb2p(setup_of(pipeline, Count)), pipeline);
}
}  // namespace ipuflow::schedule
