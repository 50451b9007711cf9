// SPDX-License-Identifier: BSL-1.0
// One forward, one backward: each IPU alternates as soon as the first gradient reaches it, so that IPU r keeps P - r
// micro-batches instead of all. Narayanan et al., "PipeDream" (flush variant). The eager variant starts forwards
// earlier, which hides the latency of messages and keeps about twice as many.
#pragma once

#include <ipuflow/schedule/generators/one_stage.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> one_f_one_b(const setup& asked) {
  modular<> t = one_stage_an_ipu(asked);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 0, 2};
  t.parts[0][pass::backward] = {who::everyone, 2 * ipus - 1, -1, 0, 0, 2};
  return t;
}

constexpr modular<> eager_1f1b(const setup& asked) {
  modular<> t = one_stage_an_ipu(asked);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  t.parts[0][pass::forward] = {who::everyone, 0, 2, 0, 0, 2};
  t.parts[0][pass::backward] = {who::everyone, 4 * ipus - 3, -2, 0, 0, 2};
  return t;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> one_f_one_b(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(one_f_one_b(setup_of(pipeline, Count)), pipeline);
}
template <staged Pipeline, std::size_t Count>
constexpr modular<> eager_1f1b(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(eager_1f1b(setup_of(pipeline, Count)), pipeline);
}

}  // namespace ipuflow::schedule
