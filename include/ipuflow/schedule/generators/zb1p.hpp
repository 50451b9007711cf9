// SPDX-License-Identifier: BSL-1.0
// 1F1B with the backward split: gradients for weights fill the gaps of the ramp-down, and every IPU keeps what the
// first one keeps under 1F1B. With one stage an IPU it is the classic schedule. Qi et al., "Zero bubble pipeline
// parallelism".
#pragma once

#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/generators/grouping.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> zb1p(const setup& asked) {
  grouping g = in_groups(asked);
  const auto ipus = static_cast<step_number>(g.table.where.ipus);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    const step_number every = 3 * g.spacing[i] * g.chunks;
    const step_number first = 3 * g.index[i] + 3 * (g.chunks - 1) * (g.widest + g.spacing[i]) + 3 * (ipus - 1) + 1;
    g.table.parts[i][pass::forward] = {who::everyone, 3 * g.index[i], 1, 3 * g.spacing[i], 3, every};
    g.table.parts[i][pass::backward_inputs] = {who::everyone, first, -2, -3 * g.spacing[i], 3, every};
    g.table.parts[i][pass::backward_weights] = {who::everyone, first + 1, 1, -3 * g.spacing[i], 3, every};
  }
  return g.table;
}

/// The same for fewer micro-batches than IPUs and several stages an IPU. There a gradient for weights waits for
/// backwards of the next chunk, which is not linear: the order of the rest is kept, and each follows the backward for
/// inputs that the IPU runs `ipu` later.
constexpr table zb1p_of_few(const setup& asked) {
  const modular<> linear = zb1p(asked);
  table t{linear.where, linear.run_for};
  t.refused = linear.refused;
  if (t.refused) return t;
  for (std::size_t ipu = 0; ipu < linear.where.ipus; ++ipu) {
    dynamic_array<placed> weights;
    std::size_t next = 0;
    for (auto w = linear.walk(ipu); w; ++w) {
      if (w->kind == pass::backward_weights) continue;
      t.rows[ipu].push_back(*w);
      if (w->kind != pass::backward_inputs) continue;
      weights.push_back({{pass::backward_weights, w->stage, w->micro_batch}, w->step, false});
      if (weights.size() > ipu) t.rows[ipu].push_back(weights[next++]);
    }
    while (next < weights.size()) t.rows[ipu].push_back(weights[next++]);
  }
  return tabulate<table>(t);
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> zb1p(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(zb1p(setup_of(pipeline, Count)), pipeline);
}
}  // namespace ipuflow::schedule
