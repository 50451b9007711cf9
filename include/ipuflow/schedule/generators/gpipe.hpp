// SPDX-License-Identifier: BSL-1.0
// All forwards, then all backwards: the simplest schedule, which keeps every micro-batch. Huang et al., "GPipe".
#pragma once

#include <ipuflow/schedule/generators/one_stage.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> gpipe(const setup& asked) {
  modular<> t = one_stage_an_ipu(asked);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  const auto count = static_cast<step_number>(asked.micro_batches);
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 0, 1};
  t.parts[0][pass::backward] = {who::everyone, count + 2 * ipus - 2, -1, 0, 0, 1};
  return t;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> gpipe(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(gpipe(setup_of(pipeline, Count)), pipeline);
}

}  // namespace ipuflow::schedule
