// SPDX-License-Identifier: BSL-1.0
// One forward, one backward: each IPU alternates as soon as the first gradient reaches it, so that IPU r keeps P - r
// micro-batches instead of all. Narayanan et al., "PipeDream" (flush variant). The eager variant starts forwards earlier,
// which hides the latency of messages and keeps about twice as many.
#pragma once

#include <ipuflow/schedule/modular.hpp>
#include <ipuflow/schedule/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace detail {

/// The skeleton of schedules with one stage an IPU: one group of one micro-batch every `period` steps.
constexpr modular<> one_stage_an_ipu(const setup& asked, const allowed& rule = {.stages_per_ipu = 1}) {
  modular<> t{.where = grid_of(asked, 1), .run_for = asked.run_for, .refused = verify_setup(asked, rule)};
  t.span = t.where.stages;
  t.parts[0].hold(0, asked.micro_batches, 1);
  return t;
}

}  // namespace detail

constexpr modular<> one_f_one_b(const setup& asked) {
  modular<> t = detail::one_stage_an_ipu(asked);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 0, 2};
  t.parts[0][pass::backward] = {who::everyone, 2 * ipus - 1, -1, 0, 0, 2};
  return t;
}

constexpr modular<> eager_1f1b(const setup& asked) {
  modular<> t = detail::one_stage_an_ipu(asked);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  t.parts[0][pass::forward] = {who::everyone, 0, 2, 0, 0, 2};
  t.parts[0][pass::backward] = {who::everyone, 4 * ipus - 3, -2, 0, 0, 2};
  return t;
}

/// All forwards, then all backwards. Huang et al., "GPipe".
constexpr modular<> gpipe(const setup& asked) {
  modular<> t = detail::one_stage_an_ipu(asked);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  const auto count = static_cast<step_number>(asked.micro_batches);
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 0, 1};
  t.parts[0][pass::backward] = {who::everyone, count + 2 * ipus - 2, -1, 0, 0, 1};
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
template <staged Pipeline, std::size_t Count>
constexpr modular<> gpipe(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(gpipe(setup_of(pipeline, Count)), pipeline);
}

}  // namespace ipuflow::schedule
