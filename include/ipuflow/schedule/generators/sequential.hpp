// SPDX-License-Identifier: BSL-1.0
// One operation at a time in the whole system: sequential is the pipeline without overlap, useful to debug it; sharded
// is the same order for a model that is merely cut over several IPUs.
#pragma once

#include <ipuflow/schedule/generators/device_rules.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace detail {

template <class Where>
constexpr modular<Where> one_at_a_time(const Where& where, mode run_for, recomputation recompute) {
  auto t = on_devices(where, run_for, 1, 1);
  t.goes = pace::in_turn;
  const auto stages = static_cast<step_number>(where.stages);
  const step_number every = run_for == mode::training ? 2 * stages : stages;
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 0, every};
  if (run_for == mode::training) {
    if (!t.refused) t.refused = verify_recomputation(recompute, recomputation::and_backpropagate);
    t.recompute = resolved(recompute, recomputation::and_backpropagate);
    t.parts[0][pass::backward] = {who::everyone, 2 * stages - 1, -1, 0, 0, every};
  }
  return t;
}

}  // namespace detail

template <class Where>
constexpr modular<Where> sequential_on(const Where& where, mode run_for,
                                       recomputation recompute = recomputation::none) {
  auto t = detail::one_at_a_time(where, run_for, recompute);
  if (!t.refused) t.refused = verify_devices(where);
  return t;
}

constexpr modular<> sequential(const setup& asked, recomputation recompute = recomputation::none) {
  return sequential_on(grid_of(asked, asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu), asked.run_for, recompute);
}

/// The same without FIFOs between the passes of a stage, and for a single stage too.
constexpr modular<> sharded(const setup& asked, recomputation recompute = recomputation::none) {
  return detail::one_at_a_time(grid_of(asked, asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu), asked.run_for,
                               recompute);
}

template <std::size_t Seats, std::size_t Count>
constexpr auto sequential(device_map<Seats> where, micro_batches_t<Count>, mode run_for = mode::training,
                          recomputation recompute = recomputation::none) {
  where.micro_batches = Count;
  return sequential_on(where, run_for, recompute);
}
template <std::size_t Seats, std::size_t Count>
constexpr auto sharded(device_map<Seats> where, micro_batches_t<Count>, mode run_for = mode::training,
                       recomputation recompute = recomputation::none) {
  where.micro_batches = Count;
  return detail::one_at_a_time(where, run_for, recompute);
}

template <staged Pipeline, std::size_t Count>
constexpr auto sequential(const Pipeline& pipeline, micro_batches_t<Count> count,
                          recomputation recompute = recomputation::none) {
  return sequential(devices_of(pipeline), count, mode::training, recompute);
}
template <staged Pipeline, std::size_t Count>
constexpr auto sequential(const with_mode<Pipeline>& asked, micro_batches_t<Count> count,
                          recomputation recompute = recomputation::none) {
  return sequential(devices_of(asked.described), count, asked.run_for, recompute);
}
template <staged Pipeline, std::size_t Count>
constexpr auto sharded(const Pipeline& pipeline, micro_batches_t<Count> count,
                       recomputation recompute = recomputation::none) {
  return sharded(devices_of(pipeline), count, mode::training, recompute);
}
template <staged Pipeline, std::size_t Count>
constexpr auto sharded(const with_mode<Pipeline>& asked, micro_batches_t<Count> count,
                       recomputation recompute = recomputation::none) {
  return sharded(devices_of(asked.described), count, asked.run_for, recompute);
}

}  // namespace ipuflow::schedule
