// SPDX-License-Identifier: BSL-1.0
// Grouped: all IPUs step together, and in each step an IPU does the backward of one micro-batch and the forward of a
// later one. Forward (s, m) is at step m + s, backward (s, m) at m + 2S-1-s. The vendor's default; it needs whole
// multiples of the 2S slots (S for inference) because its programs have no shorter ramps.
#pragma once

#include <ipuflow/schedule/generators/device_rules.hpp>

#include <cstddef>

namespace ipuflow::schedule {

struct grouped_options {
  recomputation recompute = recomputation::none;  ///< automatic: one step before the backward
  bool io_tiles = false;  ///< infeed, compute and outfeed of a micro-batch one step apart, on tiles of their own

  friend constexpr bool operator==(const grouped_options&, const grouped_options&) = default;
};

/// Grouped on devices of any kind; `where` knows the micro-batches.
template <class Where>
constexpr modular<Where> grouped_on(const Where& where, mode run_for, grouped_options options = {}) {
  const bool trains = run_for == mode::training;
  const std::size_t slots = trains ? 2 * where.stages : where.stages;
  auto t = on_devices(where, run_for, slots == 0 ? 1 : slots, options.io_tiles ? 2 * slots : slots);
  if (!t.refused) t.refused = verify_devices(where);
  const auto stages = static_cast<step_number>(where.stages);
  const step_number start = options.io_tiles ? 1 : 0;
  t.alone = false;
  t.parts[0][pass::forward] = {who::everyone, start, 1, 0, 0, 1};
  if (trains) t.parts[0][pass::backward] = {who::everyone, start + 2 * stages - 1, -1, 0, 0, 1};
  if (trains) t.recompute = resolved(options.recompute, recomputation::then_backpropagate);
  if (t.recompute == recomputation::then_backpropagate) {
    t.parts[0][pass::recompute] = {who::all_but_last, start + 2 * stages - 2, -1, 0, 0, 1};
  }
  if (options.io_tiles) {
    t.parts[0][pass::infeed] = {who::first, 0, 1, 0, 0, 1};
    t.parts[0][pass::outfeed] = {who::last, start + 1, 1, 0, 0, 1};
  }
  return t;
}

constexpr modular<> grouped(const setup& asked, grouped_options options = {}) {
  return grouped_on(grid_of(asked, asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu), asked.run_for, options);
}

/// On the devices of a list: `grouped(devices(0, 1, 1, 0), micro_batches<16>)`.
template <std::size_t Seats, std::size_t Count>
constexpr auto grouped(device_map<Seats> where, micro_batches_t<Count>, mode run_for = mode::training,
                       grouped_options options = {}) {
  where.micro_batches = Count;
  return grouped_on(where, run_for, options);
}

template <staged Pipeline, std::size_t Count>
constexpr auto grouped(const Pipeline& pipeline, micro_batches_t<Count> count, grouped_options options = {}) {
  return grouped(devices_of(pipeline), count, mode::training, options);
}
template <staged Pipeline, std::size_t Count>
constexpr auto grouped(const with_mode<Pipeline>& asked, micro_batches_t<Count> count, grouped_options options = {}) {
  return grouped(devices_of(asked.described), count, asked.run_for, options);
}

}  // namespace ipuflow::schedule
