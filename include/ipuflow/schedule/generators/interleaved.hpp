// SPDX-License-Identifier: BSL-1.0
// Interleaved: all IPUs step together, and forwards and backwards alternate. Forward (s, m) is at step 2m + s, backward
// (s, m) at 2m + 2S-1-s, which is also the order of 1F1B; it keeps half of what grouped keeps. Inference runs as many
// copies of the pipeline beside each other as never meet on an IPU.
#pragma once

#include <ipuflow/schedule/generators/device_rules.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace detail {

/// Training: copies of the 2S slots, every second step, S of them.
template <class Where>
constexpr modular<Where> interleaved_training(const Where& where, recomputation recompute) {
  auto t = on_devices(where, mode::training, where.stages == 0 ? 1 : where.stages, where.stages);
  if (!t.refused) t.refused = verify_devices(where);
  if (!t.refused) t.refused = verify_apart(where);
  if (!t.refused) t.refused = verify_recomputation(recompute, recomputation::then_backpropagate);
  const auto stages = static_cast<step_number>(where.stages);
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 0, 2};
  t.parts[0][pass::backward] = {who::everyone, 2 * stages - 1, -1, 0, 0, 2};
  t.recompute = resolved(recompute, recomputation::then_backpropagate);
  if (t.recompute == recomputation::then_backpropagate) {  // beside the forward of a later micro-batch
    t.alone = false;
    t.parts[0][pass::recompute] = {who::all_but_last, 2 * stages - 2, -1, 0, 0, 2};
  }
  return t;
}

/// Inference: copies of the S slots at the offsets that `where.delay` gives.
template <class Where>
constexpr modular<Where> interleaved_inference(const Where& where, std::size_t copies) {
  auto t = on_devices(where, mode::inference, copies == 0 ? 1 : copies, copies);
  if (!t.refused) t.refused = verify_devices(where);
  t.parts[0].group = copies == 0 ? 1 : copies;
  t.parts[0][pass::forward] = {who::everyone, 0, 1, 0, 1, static_cast<step_number>(where.stages)};
  return t;
}

}  // namespace detail

constexpr modular<> interleaved(const setup& asked, recomputation recompute = recomputation::none) {
  const grid where = grid_of(asked, asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu);
  if (asked.run_for == mode::training) return detail::interleaved_training(where, recompute);
  return detail::interleaved_inference(where, asked.ipus);
}

template <std::size_t Seats, std::size_t Count>
constexpr auto interleaved(device_map<Seats> where, micro_batches_t<Count>, mode run_for = mode::training,
                           recomputation recompute = recomputation::none) {
  where.micro_batches = Count;
  if (run_for == mode::training) return detail::interleaved_training(where, recompute);
  where.delays = overlap_offsets<Seats>(where.stages, [&](std::size_t stage) { return device_of(where, stage); });
  return detail::interleaved_inference(where, where.delays.size());
}

template <staged Pipeline, std::size_t Count>
constexpr auto interleaved(const Pipeline& pipeline, micro_batches_t<Count> count,
                           recomputation recompute = recomputation::none) {
  return interleaved(devices_of(pipeline), count, mode::training, recompute);
}
template <staged Pipeline, std::size_t Count>
constexpr auto interleaved(const with_mode<Pipeline>& asked, micro_batches_t<Count> count,
                           recomputation recompute = recomputation::none) {
  return interleaved(devices_of(asked.described), count, asked.run_for, recompute);
}

}  // namespace ipuflow::schedule
